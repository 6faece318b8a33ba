package end

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Overlap is a pod CIDR of one leaf that Liqo on another leaf must remap. On the other leaf, the CIDR is taken, or it
// is outside the ranges that Liqo gives out there.
type Overlap struct {
	PodCIDR string // in CIDR notation
	Owner   string // the leaf that has it
	Range   string // the range that it overlaps with, in CIDR notation; empty for one outside the pools
	Use     string // the use of that range
	Pools   string // the ranges that Liqo gives out, in CIDR notation
	Leaf    string // the leaf on which it is taken, or outside
}

// String returns a sentence.
func (o Overlap) String() string {
	if o.Range == "" {
		return fmt.Sprintf("The pod CIDR %s of %q is outside the ranges that Liqo on %q gives out, %s: Liqo on %q remaps it.",
			o.PodCIDR, o.Owner, o.Leaf, o.Pools, o.Leaf)
	}
	return fmt.Sprintf("The pod CIDR %s of %q overlaps with %s, %s of %q: Liqo on %q remaps it.",
		o.PodCIDR, o.Owner, o.Range, o.Use, o.Leaf, o.Leaf)
}

// Overlaps compares the other leaf's pod CIDRs with every range that is taken on this leaf, and with the ranges that
// Liqo gives out here. It ignores the range of a shortcut of the owner with another cluster, because that shortcut is
// about to be replaced.
func (e *End) Overlaps(ctx context.Context, other liqo.Ranges) ([]Overlap, error) {
	var (
		taken []ipamv1alpha1.Network
		pools []netip.Prefix
	)
	held, err := readNetworks(ctx, e.Leaf, &client.ListOptions{}, e.Owner)
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { taken, err = liqo.TakenNetworks(ctx, e.Leaf); return err })
	group.Go(func() error { pools = liqo.Pools(ctx, e.Leaf); return nil })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	taken = slices.DeleteFunc(taken, func(network ipamv1alpha1.Network) bool {
		configuration := held[cluster.RemoteID(&network)].Configuration
		return configuration != nil && e.Owner.Marked(configuration)
	})
	return e.overlapsWith(taken, pools, other), nil
}

func (e *End) overlapsWith(taken []ipamv1alpha1.Network, pools []netip.Prefix, other liqo.Ranges) []Overlap {
	var overlaps []Overlap
	for _, cidr := range other.PodCIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue // Liqo refuses it
		}
		if !inOneOf(pools, prefix) {
			overlaps = append(overlaps, Overlap{PodCIDR: cidr, Owner: e.Remote.Name, Pools: names(pools), Leaf: e.Leaf.Name})
			continue // no range is taken outside the pools
		}
		for i := range taken {
			network := &taken[i]
			if cluster.RemoteID(network) == string(e.Remote.ID) {
				continue // this shortcut itself has taken it
			}
			there, err := netip.ParsePrefix(cmp.Or(network.Status.CIDR, network.Spec.CIDR).String())
			if err == nil && there.Overlaps(prefix) {
				overlaps = append(overlaps, Overlap{
					PodCIDR: cidr, Owner: e.Remote.Name, Range: there.String(), Use: purpose(network), Leaf: e.Leaf.Name,
				})
			}
		}
	}
	return overlaps
}

// inOneOf reports whether a range is in one of the pools, or whether the pools are unknown. Liqo's IPAM only accepts
// ranges in a pool.
func inOneOf(pools []netip.Prefix, prefix netip.Prefix) bool {
	return len(pools) == 0 || slices.ContainsFunc(pools, func(pool netip.Prefix) bool {
		return pool.Bits() <= prefix.Bits() && pool.Overlaps(prefix)
	})
}

// names returns a text that lists ranges.
func names(prefixes []netip.Prefix) string {
	texts := make([]string, len(prefixes))
	for i, prefix := range prefixes {
		texts[i] = prefix.String()
	}
	return trouble.Enumerate(texts)
}

// purpose returns a text for the use of a range.
func purpose(network *ipamv1alpha1.Network) string {
	switch remote := cluster.RemoteID(network); {
	case ipamutils.IsPodCIDR(network):
		return "the pod CIDR"
	case ipamutils.IsServiceCIDR(network):
		return "the service CIDR"
	case ipamutils.IsExternalCIDR(network):
		return "the external CIDR"
	case ipamutils.IsInternalCIDR(network):
		return "the internal CIDR"
	case ipamutils.IsReservedNetwork(network):
		return "a reserved range"
	case remote != "":
		return fmt.Sprintf("the range for cluster %s", remote)
	default:
		return fmt.Sprintf("the range of Network %s/%s", network.Namespace, network.Name)
	}
}

// CheckOverlaps fails if Liqo on this leaf would have to remap a pod CIDR of the other one.
func (e *End) CheckOverlaps(ctx context.Context, other liqo.Ranges) error {
	overlaps, err := e.Overlaps(ctx, other)
	if err != nil || len(overlaps) == 0 {
		return err
	}
	sentences := make([]string, len(overlaps))
	for i, overlap := range overlaps {
		sentences[i] = overlap.String()
	}
	return e.remappedProblem(strings.Join(sentences, "\n"), "Nothing was changed.")
}

// ErrRemapped is the cause of a problem with a remapping that is forbidden.
var ErrRemapped = errors.New("remapping is forbidden")

// remappedProblem returns the problem of a remapping that is forbidden. Left is a sentence about what was not done.
func (e *End) remappedProblem(why, left string) *trouble.Problem {
	return &trouble.Problem{
		ID: "remapping-forbidden", Leaf: e.Leaf.Name,
		Summary: "remapping is forbidden, and needed",
		Err:     ErrRemapped,
		Advice: why + "\n" + left +
			" Set `cidr_remapping = \"allow\"` to reach the pods at other addresses, " +
			"or give the clusters pod CIDRs that do not overlap.",
	}
}
