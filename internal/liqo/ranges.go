package liqo

import (
	"context"
	"net/netip"
	"strings"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	"github.com/liqotech/liqo/pkg/consts"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// InternalCIDR returns the range from which Liqo takes the addresses of its gateways and nodes, in CIDR notation. It is
// empty if the leaf has none.
func InternalCIDR(ctx context.Context, leaf *cluster.Leaf) (string, error) {
	network, err := ipamutils.GetInternalCIDRNetwork(ctx, leaf.Live, leaf.LiqoNamespace)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", leaf.Explain(err)
	}
	return network.Status.CIDR.String(), nil
}

// Ranges are a leaf's own address ranges, in CIDR notation, as Liqo's IPAM has them.
type Ranges struct {
	PodCIDRs     []string `tfsdk:"pod_cidrs"`
	ExternalCIDR string   `tfsdk:"external_cidr"`
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

// RangesOf reads the leaf's address ranges from the API server once. They can't change while Liqo is installed.
func RangesOf(ctx context.Context, leaf *cluster.Leaf) (Ranges, error) {
	return cluster.Once(ctx, leaf, func() (Ranges, error) {
		var ranges Ranges
		group, ctx := errgroup.WithContext(ctx)
		unreadable := trouble.Problem{
			ID: "ranges-unreadable", Summary: "the address ranges can't be read",
			Advice: "Check that Liqo's IPAM runs on this leaf. It writes the ranges into the status of Networks.",
		}
		group.Go(func() (err error) {
			lister := &lister{Client: leaf.Live}
			ranges.PodCIDRs, err = ipamutils.GetPodCIDRs(ctx, lister, leaf.LiqoNamespace)
			return lister.explain(leaf, err, unreadable)
		})
		group.Go(func() (err error) {
			lister := &lister{Client: leaf.Live}
			ranges.ExternalCIDR, err = ipamutils.GetExternalCIDR(ctx, lister, leaf.LiqoNamespace)
			return lister.explain(leaf, err, unreadable)
		})
		err := group.Wait() // before ranges is read
		return ranges, err
	})
}

// TakenNetworks reads from the API server every range that Liqo's IPAM has allocated on this leaf, including the leaf's
// own ranges.
func TakenNetworks(ctx context.Context, leaf *cluster.Leaf) ([]ipamv1alpha1.Network, error) {
	var list ipamv1alpha1.NetworkList
	if err := leaf.Live.List(ctx, &list); err != nil {
		return nil, leaf.Explain(err)
	}
	return list.Items, nil
}

// ipamLabels are the labels that Liqo's chart sets on the Deployment of its IPAM.
var ipamLabels = client.MatchingLabels{"app.kubernetes.io/name": "ipam", "app.kubernetes.io/component": "ipam"}

// poolsFlag is the IPAM's flag that lists the pools.
const poolsFlag = "--pools="

// pools are the ranges of an IPAM.
type pools []netip.Prefix

// Pools returns the ranges from which Liqo's IPAM on this leaf allocates, as the arguments of its Deployment list them.
// Any range outside them is remapped. The result is nil if the pools are unknown, for example with a custom IPAM. Pools
// asks the API server once.
func Pools(ctx context.Context, leaf *cluster.Leaf) []netip.Prefix {
	known, err := cluster.Once(ctx, leaf, func() (pools, error) {
		var ipams appsv1.DeploymentList
		err := leaf.Live.List(ctx, &ipams, client.InNamespace(leaf.LiqoNamespace), ipamLabels)
		if err != nil || len(ipams.Items) != 1 {
			return nil, err
		}
		return poolsOf(&ipams.Items[0])
	})
	if err != nil {
		return nil
	}
	return known
}

// poolsOf reads the pools from the arguments of an IPAM. Without the flag, the IPAM uses Liqo's default.
func poolsOf(ipam *appsv1.Deployment) (pools, error) {
	texts := consts.PrivateAddressSpace
	for _, container := range ipam.Spec.Template.Spec.Containers {
		for _, argument := range container.Args {
			if list, ok := strings.CutPrefix(argument, poolsFlag); ok {
				texts = strings.Split(list, ",")
			}
		}
	}
	pools := make(pools, len(texts))
	for i, text := range texts {
		pool, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		pools[i] = pool
	}
	return pools, nil
}
