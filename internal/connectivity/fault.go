package connectivity

import (
	"context"
	"fmt"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Hop is a part of the way from pod to pod: pod, node, overlay, gateway, tunnel, and the same again on the other leaf.
type Hop string

// The values of [Hop].
const (
	HopPod     Hop = "Pod"     // between a pod and its node
	HopNode    Hop = "Node"    // a node does not send packets for the other leaf to the gateway
	HopOverlay Hop = "Overlay" // between a node and the gateway of its leaf
	HopGateway Hop = "Gateway" // between the overlay and the tunnel
	HopTunnel  Hop = "Tunnel"  // between the two gateways
	HopUnknown Hop = "Unknown" // what was observed does not say
)

// Fault is a hop that drops packets.
type Fault struct {
	Hop  Hop
	Node string // where the hop is; empty unless the hop is on one node

	// Its leaf is where the hop is. It is empty for the tunnel, and if what was observed leaves two leaves.
	trouble.Problem

	ways []way // on which it was found
	// open says where packets get lost if that is not one hop, but several come into question. It is empty otherwise.
	open string
}

// faults names the hops that keep packets from passing. If there are any, it looks further.
func (t *Test) faults(ctx context.Context, result *Result) []Fault {
	lost := slices.DeleteFunc(slices.Clone(result.Paths), func(path Path) bool { return !path.Lost })
	if len(lost) == 0 {
		return append(t.oversized(result.Paths), t.lossy(result.Paths)...)
	}
	t.look(ctx)
	if down := t.tunnelDown(ctx); down != nil {
		return []Fault{*down}
	}
	if faults := t.hops(ctx, lost); len(faults) > 0 {
		return faults
	}
	return []Fault{t.unknown(lost[0])}
}

// tunnelDown returns the fault of a tunnel of which a gateway reports that it is down.
func (t *Test) tunnelDown(ctx context.Context) *Fault {
	if t.client.objects.Tunnel() == networkingv1beta1.Connected &&
		t.server.objects.Tunnel() == networkingv1beta1.Connected {
		return nil
	}
	return &Fault{Hop: HopTunnel, Problem: *explain.Down(ctx, t.client.Subject(), t.server.Subject())}
}

// hops returns the hops at which the packets of lost paths get lost, in either direction, each once.
func (t *Test) hops(ctx context.Context, lost []Path) []Fault {
	var faults []Fault
	for _, path := range lost {
		for _, direction := range []way{path.way, path.reverse()} {
			found := direction.locate(ctx)
			if found == nil {
				continue
			}
			found.ways = []way{direction}
			if same := slices.IndexFunc(faults, found.isSame); same >= 0 {
				faults[same].ways = append(faults[same].ways, direction)
				continue
			}
			faults = append(faults, *found)
		}
	}
	for _, s := range []*station{t.client, t.server} {
		faults = s.common(ctx, faults)
	}
	for i := range faults {
		if faults[i].open != "" {
			faults[i].Summary = fmt.Sprintf("packets %s %s", direction(faults[i].ways), faults[i].open)
		}
	}
	return explained(faults)
}

// isSame reports whether two faults are of the same hop.
func (f *Fault) isSame(other Fault) bool {
	return f.Hop == other.Hop && f.Leaf == other.Leaf && f.Node == other.Node && f.open == other.open
}

// common returns the faults, in which one of the leaf takes the place of those of its nodes if all of several nodes
// have the same: they have a reason in common.
func (s *station) common(ctx context.Context, faults []Fault) []Fault {
	for hop, ofAll := range map[Hop]func(context.Context, way, int) *Fault{
		HopPod: s.podFault, HopNode: s.nodeFault, HopOverlay: s.overlayFault,
	} {
		ofOne := func(fault Fault) bool { return fault.Hop == hop && fault.Leaf == s.Leaf.Name && fault.Node != "" }
		first, count := slices.IndexFunc(faults, ofOne), 0
		for _, fault := range faults {
			if ofOne(fault) {
				count++
			}
		}
		if count < 2 || count < len(s.names) {
			continue
		}
		ways := faults[first].ways
		faults[first] = *ofAll(ctx, ways[0], allNodes)
		faults[first].ways = ways
		faults = slices.DeleteFunc(faults, ofOne)
	}
	return faults
}

// explained returns the faults without the open ones that another one may explain. That one says so.
func explained(faults []Fault) []Fault {
	reasons := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool {
		return slices.ContainsFunc(faults, func(other Fault) bool { return other.explains(f) })
	})
	for _, fault := range faults {
		if i := slices.IndexFunc(reasons, func(reason Fault) bool { return reason.explains(fault) }); i >= 0 {
			reasons[i].Evidence = append(reasons[i].Evidence, fmt.Sprintf(
				"Packets %s get lost, too. This may be the reason: the next test shows it.", direction(fault.ways)))
		}
	}
	return reasons
}

// explains reports whether a fault may be the reason of an open one: it says more, and is on the way.
func (f *Fault) explains(other Fault) bool {
	saysMore := other.open != "" && (f.open == "" || f.Hop != HopUnknown && other.Hop == HopUnknown)
	return saysMore && slices.ContainsFunc(other.ways, f.isOn)
}

// isOn reports whether a fault is at a place that a way goes through.
func (f *Fault) isOn(w way) bool {
	return f.Leaf == w.from.Leaf.Name && (f.Node == "" || f.Node == w.from.names[w.source]) ||
		f.Leaf == w.to.Leaf.Name && (f.Node == "" || f.Node == w.to.names[w.target])
}

// direction says in which direction packets get lost, if that is certain.
func direction(ways []way) string {
	first := ways[0]
	certain := false
	for _, w := range ways {
		if w.from != first.from {
			certain = false
			break
		}
		certain = certain || w.arrives() == no
	}
	if certain {
		return fmt.Sprintf("from %q to %q", first.from.Leaf.Name, first.to.Leaf.Name)
	}
	return fmt.Sprintf("between %q and %q", first.from.Leaf.Name, first.to.Leaf.Name)
}

// unknown is the fault of a path whose pings are not answered, although packets pass in both directions.
func (t *Test) unknown(path Path) Fault {
	now := "What was observed does not name a hop."
	if path.way.again().lasts() {
		now = "When the test looked again, they were answered."
	}
	return Fault{Hop: HopUnknown, Problem: trouble.Problem{
		ID:       "pings-unanswered",
		Summary:  fmt.Sprintf("pings from %q to %q are not answered", path.From.Leaf, path.To.Leaf),
		Evidence: slices.Concat([]string{path.story(), now}, t.client.missed, t.server.missed),
		Advice:   "Apply again to repeat the test.",
	}}
}
