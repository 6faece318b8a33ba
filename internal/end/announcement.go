package end

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Announcement has the address ranges of this leaf to announce to the other one, in CIDR notation. An empty field
// stands for the ranges that the leaf has.
type Announcement struct {
	PodCIDRs     []string `tfsdk:"pod_cidrs"`
	ExternalCIDR string   `tfsdk:"external_cidr"`
}

// The causes of a problem with one part of an [Announcement].
var (
	ErrPodCIDRs     = errors.New("the pod CIDRs can't be announced")
	ErrExternalCIDR = errors.New("the external CIDR can't be announced")
)

// rangesFor returns the announced ranges of a leaf with these own ranges.
func (a Announcement) rangesFor(local liqo.Ranges) liqo.Ranges {
	if len(a.PodCIDRs) > 0 {
		local.PodCIDRs = a.PodCIDRs
	}
	local.ExternalCIDR = cmp.Or(a.ExternalCIDR, local.ExternalCIDR)
	return local
}

// Announce returns the address ranges of this leaf to announce to the other one. It fails if Liqo can't join them, or
// if packets to them would be lost. The latter is no error for ranges that the other leaf already has. So a network
// that someone created with them can still be imported, changed and removed.
func (e *End) Announce(
	ctx context.Context, announcement Announcement, existing liqo.RemoteRanges,
) (liqo.Ranges, error) {
	local, err := liqo.RangesOf(ctx, e.Leaf)
	if err != nil {
		return local, err
	}
	announced := announcement.rangesFor(local)
	if err := e.checkIPv4(announced); err != nil {
		return announced, err
	}
	if !slices.Equal(announced.PodCIDRs, existing.PodCIDRs) {
		if err := e.checkPodCIDRs(announced, local); err != nil {
			return announced, err
		}
	}
	if announced.ExternalCIDR != existing.ExternalCIDR {
		return announced, e.checkExternalCIDR(announced, local)
	}
	return announced, nil
}

// checkIPv4 fails for IPv6 ranges. To find a free range, Liqo's IPAM (1.2.0, pkg/ipam/core) divides IPv4 ranges down to
// the requested prefix length. It panics for a length of more than 32 bits, again after each restart. Then no network
// of that leaf gets a range.
func (e *End) checkIPv4(announced liqo.Ranges) error {
	for _, cidr := range append(slices.Clone(announced.PodCIDRs), announced.ExternalCIDR) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil || prefix.Addr().Is4() {
			continue // what is no range at all is Liqo's to refuse
		}
		return &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name,
			Summary: fmt.Sprintf("Liqo can't join the IPv6 range %s", cidr),
			Advice: fmt.Sprintf("The IPAM of Liqo gives out IPv4 ranges only, and the one of %q would crash if it were asked "+
				"for this one. Announce only the IPv4 ranges of %q: set `pod_cidrs` and `external_cidr` in its "+
				"`client_network` or `server_network`.", e.Remote.Name, e.Leaf.Name),
		}
	}
	return nil
}

// checkPodCIDRs fails for a range outside the pod CIDRs of this leaf. Liqo translates a pod's address only on the other
// leaf, from the remapped range to the announced one. A packet arrives here with an address of the announced range, and
// nothing here translates it to a pod's address.
func (e *End) checkPodCIDRs(announced, local liqo.Ranges) error {
	for _, cidr := range announced.PodCIDRs {
		if slices.ContainsFunc(local.PodCIDRs, func(whole string) bool { return liqo.IsPart(cidr, whole) }) {
			continue
		}
		ranges := trouble.Enumerate(local.PodCIDRs)
		return &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrPodCIDRs,
			Summary: fmt.Sprintf("there are no pods in %s", cidr),
			Advice: fmt.Sprintf("The pods of %[1]q have addresses in %[2]s. Nothing on %[1]q translates %[3]s to them, so "+
				"the packets that %[4]q sends there would be lost. Set `pod_cidrs` to %[2]s or to parts of it, or leave "+
				"it out. If a range overlaps on %[4]q, Liqo there remaps it by itself.",
				e.Leaf.Name, ranges, cidr, e.Remote.Name),
		}
	}
	return nil
}

// CheckAnnounced fails if Liqo on this leaf can't reach all of these pod CIDRs of the other one. That is no error for
// ranges that this leaf already has, as in [End.Announce].
func (e *End) CheckAnnounced(ctx context.Context, announced liqo.Ranges, existing liqo.RemoteRanges) error {
	if len(announced.PodCIDRs) == 1 || slices.Equal(announced.PodCIDRs, existing.PodCIDRs) {
		return nil
	}
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil || able.ManyPodCIDRs {
		return err
	}
	subject := fmt.Sprintf("%q", e.Remote.Name)
	if e.Owner.Resource == owner.ConfigurationResource {
		subject = "this resource"
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrPodCIDRs,
		Summary: fmt.Sprintf("%s on this leaf can reach only one pod CIDR of another cluster", liqo.Name(ctx, e.Leaf)),
		Advice: fmt.Sprintf("%[1]q would announce %[2]s to %[3]q, and packets from there to all but the first range would "+
			"not take the shortcut. Set `pod_cidrs` of %[4]s to one of the ranges, or update Liqo on %[3]q to 1.2.",
			e.Remote.Name, trouble.Enumerate(announced.PodCIDRs), e.Leaf.Name, subject),
	}
}

// checkExternalCIDR fails unless the range is a part of the leaf's external CIDR with the same first address. Liqo
// assigns addresses only from that CIDR. Its first address is that of the nodes, see [liqo.Ranges.NodeAddress]. The
// other leaf expects the first address of the announced range.
func (e *End) checkExternalCIDR(announced, local liqo.Ranges) error {
	first := local.NodeAddress()
	if liqo.IsPart(announced.ExternalCIDR, local.ExternalCIDR) && announced.NodeAddress() == first {
		return nil
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrExternalCIDR,
		Summary: fmt.Sprintf("%s does not begin the external CIDR", announced.ExternalCIDR),
		Advice: fmt.Sprintf("The external CIDR of %[1]q is %[2]s. Liqo on %[1]q gives out addresses of that range only, and "+
			"%[3]s is the source of its packets that come from no pod. So packets between %[4]q and %[5]s would be lost. "+
			"Leave `external_cidr` out, or set it to %[2]s or to a part that begins with %[3]s.",
			e.Leaf.Name, local.ExternalCIDR, first, e.Remote.Name, announced.ExternalCIDR),
	}
}
