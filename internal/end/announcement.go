package end

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Announcement is what the other leaf is told of this one's address ranges, in CIDR notation. What is empty is as the
// leaf has it.
type Announcement struct {
	PodCIDRs     []string
	ExternalCIDR string
}

// The causes of a problem with one part of an [Announcement].
var (
	ErrPodCIDRs     = errors.New("the pod CIDRs can't be announced")
	ErrExternalCIDR = errors.New("the external CIDR can't be announced")
)

// of is what the other leaf is told, given what the leaf has.
func (a Announcement) of(own cluster.Networks) cluster.Networks {
	if len(a.PodCIDRs) > 0 {
		own.PodCIDRs = a.PodCIDRs
	}
	own.ExternalCIDR = cmp.Or(a.ExternalCIDR, own.ExternalCIDR)
	return own
}

// Announce is what the other leaf is told of this one's address ranges. It fails if Liqo can't join them, and if
// packets to them would be lost. What the other leaf has been told already is not refused for the latter: a network
// that somebody made so can still be imported, changed and removed.
func (e *End) Announce(ctx context.Context, announcement Announcement, told Network) (cluster.Networks, error) {
	own, err := e.Leaf.Networks(ctx)
	if err != nil {
		return own, err
	}
	announced := announcement.of(own)
	if err := e.checkIPv4(announced); err != nil {
		return announced, err
	}
	if !slices.Equal(announced.PodCIDRs, told.PodCIDRs) {
		if err := e.checkPodCIDRs(announced, own); err != nil {
			return announced, err
		}
	}
	if announced.ExternalCIDR != told.ExternalCIDR {
		return announced, e.checkExternalCIDR(announced, own)
	}
	return announced, nil
}

// checkIPv4 fails for address ranges of IPv6. Liqo's IPAM (1.2.0, pkg/ipam/core) looks for a free range by dividing
// IPv4 ranges down to the length that is asked for: for a length of more than 32 bits it panics, again after each
// restart, and no network of that leaf gets a range any more.
func (e *End) checkIPv4(announced cluster.Networks) error {
	for _, cidr := range append(slices.Clone(announced.PodCIDRs), announced.ExternalCIDR) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil || prefix.Addr().Is4() {
			continue // what is no range at all is Liqo's to refuse
		}
		return &explain.Problem{
			Leaf:    e.Leaf.Name,
			Summary: fmt.Sprintf("Liqo can't join the IPv6 range %s", cidr),
			Detail: fmt.Sprintf("The IPAM of Liqo gives out IPv4 ranges only, and the one of %q would crash if it were asked "+
				"for this one. Announce only the IPv4 ranges of %q: set `pod_cidrs` and `external_cidr` in its "+
				"`client_network` or `server_network`.", e.Remote.Name, e.Leaf.Name),
		}
	}
	return nil
}

// checkPodCIDRs fails for a range that no pod of this leaf is in. Liqo translates a pod's address only on the other
// leaf, from where it reaches a range to the range as it was announced: a packet arrives here with an address of the
// latter, and nothing here translates that to a pod's.
func (e *End) checkPodCIDRs(announced, own cluster.Networks) error {
	for _, cidr := range announced.PodCIDRs {
		if slices.ContainsFunc(own.PodCIDRs, func(whole string) bool { return isPart(cidr, whole) }) {
			continue
		}
		ranges := explain.Enumerate(own.PodCIDRs)
		return &explain.Problem{
			Leaf: e.Leaf.Name, Err: ErrPodCIDRs,
			Summary: fmt.Sprintf("there are no pods in %s", cidr),
			Detail: fmt.Sprintf("The pods of %[1]q have addresses in %[2]s. Nothing on %[1]q translates %[3]s to them, so "+
				"the packets that %[4]q sends there would be lost. Set `pod_cidrs` to %[2]s or to parts of it, or leave "+
				"it out. If a range overlaps on %[4]q, Liqo there remaps it by itself.",
				e.Leaf.Name, ranges, cidr, e.Remote.Name),
		}
	}
	return nil
}

// checkExternalCIDR fails for a range that does not stand for the leaf's external CIDR. Liqo gives out addresses of the
// latter alone. Its first address is the source of all packets to the other leaf that come from no pod (Liqo 1.2.0,
// GetUnknownSourceIP), and the other leaf takes the first one of what was announced for it.
func (e *End) checkExternalCIDR(announced, own cluster.Networks) error {
	first, _, _ := strings.Cut(own.ExternalCIDR, "/")
	begins, _, _ := strings.Cut(announced.ExternalCIDR, "/")
	if isPart(announced.ExternalCIDR, own.ExternalCIDR) && begins == first {
		return nil
	}
	return &explain.Problem{
		Leaf: e.Leaf.Name, Err: ErrExternalCIDR,
		Summary: fmt.Sprintf("%s does not begin the external CIDR", announced.ExternalCIDR),
		Detail: fmt.Sprintf("The external CIDR of %[1]q is %[2]s. Liqo on %[1]q gives out addresses of that range only, and "+
			"%[3]s is the source of its packets that come from no pod. So packets between %[4]q and %[5]s would be lost. "+
			"Leave `external_cidr` out, or set it to %[2]s or to a part that begins with %[3]s.",
			e.Leaf.Name, own.ExternalCIDR, first, e.Remote.Name, announced.ExternalCIDR),
	}
}

// isPart reports whether a range lies in another one. What is no range at all is Liqo's to refuse.
func isPart(cidr, whole string) bool {
	part, err := netip.ParsePrefix(cidr)
	if err != nil {
		return true
	}
	in, err := netip.ParsePrefix(whole)
	return err != nil || (in.Bits() <= part.Bits() && in.Contains(part.Addr()))
}
