package liqo

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	"github.com/liqotech/liqo/pkg/consts"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Ranges are a leaf's own address ranges, in CIDR notation, as Liqo's IPAM has them.
type Ranges struct {
	PodCIDRs     []string `tfsdk:"pod_cidrs"`
	ExternalCIDR string   `tfsdk:"external_cidr"`
	InternalCIDR string   `tfsdk:"-"` // of gateways and nodes; empty if there is none, and never announced
}

// NodeAddress returns the source of all packets to other leaves that do not come from a pod: the first address of the
// external CIDR (Liqo 1.2.0, GetUnknownSourceIP).
func (r Ranges) NodeAddress() string {
	first, _, _ := strings.Cut(r.ExternalCIDR, "/")
	return first
}

// IsPart reports whether a range is part of another one, or all of it. Liqo itself refuses an invalid range.
func IsPart(cidr, whole string) bool {
	part, err := netip.ParsePrefix(cidr)
	if err != nil {
		return true
	}
	prefix, err := netip.ParsePrefix(whole)
	return err != nil || (prefix.Bits() <= part.Bits() && prefix.Contains(part.Addr()))
}

// InRange reports whether an address is in one of these ranges.
func InRange(address string, cidrs ...string) bool {
	ip, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(cidrs, func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		return err == nil && prefix.Contains(ip)
	})
}

// RangesOf reads the leaf's address ranges from the API server once. They can't change while Liqo is installed.
func RangesOf(ctx context.Context, leaf *cluster.Leaf) (Ranges, error) {
	return cluster.Once(ctx, leaf, func() (ranges Ranges, err error) {
		var list ipamv1alpha1.NetworkList
		if err := leaf.List(ctx, &list, client.InNamespace(leaf.LiqoNamespace), withLabel(consts.NetworkTypeLabelKey,
			string(consts.NetworkTypePodCIDR), string(consts.NetworkTypeExternalCIDR),
			string(consts.NetworkTypeInternalCIDR))); err != nil {
			return ranges, err
		}
		for i := range list.Items {
			switch network, cidr := &list.Items[i], list.Items[i].Status.CIDR.String(); {
			case ipamutils.IsInternalCIDR(network):
				ranges.InternalCIDR = cidr
			case ipamutils.IsExternalCIDR(network):
				ranges.ExternalCIDR = cidr
			default:
				ranges.PodCIDRs = append(ranges.PodCIDRs, cidr)
			}
		}
		if len(ranges.PodCIDRs) == 0 || slices.Contains(append(ranges.PodCIDRs, ranges.ExternalCIDR), "") {
			return ranges, cluster.Found(trouble.Problem{
				ID: "ranges-unreadable", Leaf: leaf.Name, Summary: "the address ranges can't be read",
				Advice: "Check that Liqo's IPAM runs on this leaf. It writes the ranges into the status of Networks.",
				Err: fmt.Errorf("the Networks in namespace %s show the pod CIDRs %q and the external CIDR %q",
					leaf.LiqoNamespace, ranges.PodCIDRs, ranges.ExternalCIDR),
			})
		}
		return ranges, nil
	})
}

// TakenNetworks reads from the API server every range that Liqo's IPAM has allocated on this leaf, including the leaf's
// own ranges.
func TakenNetworks(ctx context.Context, leaf *cluster.Leaf) ([]ipamv1alpha1.Network, error) {
	var list ipamv1alpha1.NetworkList
	err := leaf.List(ctx, &list)
	return list.Items, err
}
