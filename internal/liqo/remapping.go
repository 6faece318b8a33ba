package liqo

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	"github.com/liqotech/liqo/pkg/utils/ipam/mapping"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// decidedLabel is on a Configuration that Liqo before 1.2 has remapped.
const decidedLabel = "configuration.liqo.io/configured"

// IsDecided reports whether Liqo says that the remapping in a Configuration is complete. Liqo before 1.2 has no
// conditions, and sets a label once. Liqo 1.2 leaves that label where it is.
func IsDecided(configuration *networkingv1beta1.Configuration) bool {
	if len(configuration.Status.Conditions) > 0 {
		return networkingutils.AreConfigurationNetworkCIDRsConfigured(configuration)
	}
	return configuration.Labels[decidedLabel] == "true"
}

// RemoteRanges has the address ranges of one leaf from the other leaf's Configuration, in CIDR notation.
type RemoteRanges struct {
	PodCIDRs     []string `tfsdk:"pod_cidrs"`     // as the leaf has them
	ExternalCIDR string   `tfsdk:"external_cidr"` // as the leaf has it

	// Where the other leaf reaches them, index by index; empty until Liqo has decided.
	RemappedPodCIDRs     []string `tfsdk:"remapped_pod_cidrs"`
	RemappedExternalCIDR string   `tfsdk:"remapped_external_cidr"`
}

// ObservedRemote returns the network of the other leaf from this end's Configuration. It returns the zero value if
// there is no Configuration.
func (o Objects) ObservedRemote() RemoteRanges {
	if o.Configuration == nil {
		return RemoteRanges{}
	}
	announced := o.Configuration.Spec.Remote.CIDR
	remote := RemoteRanges{PodCIDRs: CIDRStrings(announced.Pod), ExternalCIDR: firstCIDR(announced.External)}
	if IsRemapped(o.Configuration) {
		remapped := o.Configuration.Status.Remote.CIDR
		remote.RemappedPodCIDRs, remote.RemappedExternalCIDR = CIDRStrings(remapped.Pod), firstCIDR(remapped.External)
	}
	return remote
}

// CIDRStrings returns CIDRs in CIDR notation.
func CIDRStrings(cidrs []networkingv1beta1.CIDR) []string {
	texts := make([]string, len(cidrs))
	for i, cidr := range cidrs {
		texts[i] = cidr.String()
	}
	return texts
}

func firstCIDR(cidrs []networkingv1beta1.CIDR) string {
	if len(cidrs) == 0 {
		return ""
	}
	return cidrs[0].String()
}

// IsRemapped reports whether the status of a Configuration has a remapping that can be the one of the ranges in its
// spec. Liqo remaps a range to one of the same size. No Configuration has none.
func IsRemapped(configuration *networkingv1beta1.Configuration) bool {
	if configuration == nil || !IsDecided(configuration) || configuration.Status.Remote == nil {
		return false
	}
	announced, remapped := configuration.Spec.Remote.CIDR, configuration.Status.Remote.CIDR
	return slices.EqualFunc(announced.Pod, remapped.Pod, HaveSameSize) &&
		slices.EqualFunc(announced.External, remapped.External, HaveSameSize)
}

// RemappedAddress returns the address at which a leaf reaches a pod of another cluster. It reads the cache.
func RemappedAddress(
	ctx context.Context, leaf *cluster.Leaf, remote liqov1beta1.ClusterID, address string,
) (string, error) {
	var all networkingv1beta1.ConfigurationList
	if err := leaf.ListCached(ctx, &all, client.MatchingLabels{consts.RemoteClusterID: string(remote)}); err != nil {
		return "", err
	}
	if len(all.Items) != 1 {
		return "", fmt.Errorf("there are %d Configurations for cluster %q", len(all.Items), remote)
	}
	configuration, ip := &all.Items[0], net.ParseIP(address)
	if !IsRemapped(configuration) {
		return "", fmt.Errorf("%s has no remapped ranges", leaf.Describe(configuration))
	}
	for i, announced := range configuration.Spec.Remote.CIDR.Pod {
		_, from, fromErr := net.ParseCIDR(announced.String())
		_, to, toErr := net.ParseCIDR(configuration.Status.Remote.CIDR.Pod[i].String())
		if fromErr == nil && toErr == nil && from.Contains(ip) {
			return mapping.RemapMask(ip, *to).String(), nil
		}
	}
	return "", fmt.Errorf("no remote pod CIDR contains address %q", address)
}

// HaveSameSize reports whether two ranges have as many addresses. Liqo remaps a range to one of the same size.
func HaveSameSize(one, other networkingv1beta1.CIDR) bool {
	a, err := netip.ParsePrefix(one.String())
	if err != nil {
		return false
	}
	b, err := netip.ParsePrefix(other.String())
	return err == nil && a.Bits() == b.Bits()
}
