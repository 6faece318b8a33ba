package shortcut

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Overlap is a pod CIDR of one leaf that another leaf can't reach as it is, because there it is taken.
type Overlap struct {
	PodCIDR string // in CIDR notation
	Of      string // the leaf that has it
	Taken   string // the range that it overlaps with, in CIDR notation
	By      string // what has that range
	At      string // the leaf on which it is taken
}

// String is a sentence.
func (o Overlap) String() string {
	return fmt.Sprintf("The pod CIDR %s of %q overlaps with %s, %s of %q: Liqo on %q remaps it.", o.PodCIDR, o.Of, o.Taken, o.By, o.At, o.At)
}

// Overlaps predicts which pod CIDRs Liqo will remap, from the ranges that are taken on each leaf now.
func (s *Shortcut) Overlaps(ctx context.Context, spec Spec) ([]Overlap, error) {
	var overlaps []Overlap
	for _, end := range []struct {
		at, of *side
		spec   EndSpec
	}{{s.client, s.server, spec.ServerEnd}, {s.server, s.client, spec.ClientEnd}} {
		networks, err := end.of.announce(end.spec)(ctx)
		if err != nil {
			return nil, err
		}
		here, err := end.at.overlaps(ctx, networks)
		if err != nil {
			return nil, err
		}
		overlaps = append(overlaps, here...)
	}
	return overlaps, nil
}

// overlaps compares the other leaf's pod CIDRs with every range that is taken here.
func (s *side) overlaps(ctx context.Context, other cluster.Networks) ([]Overlap, error) {
	taken, err := s.leaf.TakenNetworks(ctx)
	if err != nil {
		return nil, err
	}
	return s.overlapsWith(taken, other), nil
}

func (s *side) overlapsWith(taken []ipamv1alpha1.Network, other cluster.Networks) []Overlap {
	var overlaps []Overlap
	for _, cidr := range other.PodCIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue // Liqo's to refuse
		}
		for i := range taken {
			network := &taken[i]
			if cluster.RemoteID(network) == string(s.remote.ID) {
				continue // it is what this shortcut itself has taken
			}
			there, err := netip.ParsePrefix(cmp.Or(network.Status.CIDR, network.Spec.CIDR).String())
			if err == nil && there.Overlaps(prefix) {
				overlaps = append(overlaps, Overlap{
					PodCIDR: cidr, Of: s.remote.Name, Taken: there.String(), By: purpose(network), At: s.leaf.Name,
				})
			}
		}
	}
	return overlaps
}

// purpose says what a range is for.
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

// checkOverlaps fails if Liqo on this leaf would have to remap a pod CIDR of the other one.
func (s *side) checkOverlaps(ctx context.Context, other cluster.Networks) error {
	overlaps, err := s.overlaps(ctx, other)
	if err != nil || len(overlaps) == 0 {
		return err
	}
	sentences := make([]string, len(overlaps))
	for i, overlap := range overlaps {
		sentences[i] = overlap.String()
	}
	return s.remappedProblem(strings.Join(sentences, "\n"))
}

// errRemapped is the cause of a problem with a remapping that is forbidden.
var errRemapped = errors.New("remapping is forbidden")

func (s *side) remappedProblem(why string) *Problem {
	return &Problem{
		Leaf:    s.leaf.Name,
		Summary: "remapping is forbidden, and needed",
		Err:     errRemapped,
		Detail: why + "\nNo gateway was made. Set `cidr_remapping = \"allow\"` to reach the pods at other addresses, or give the clusters pod CIDRs that " +
			"do not overlap.",
	}
}
