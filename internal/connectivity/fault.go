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
	Node string // where the hop is; empty unless the hop is a pod, a node or the overlay

	// Its leaf is where the hop is. It is empty for the tunnel, and if what was observed leaves two leaves.
	trouble.Problem

	way way // on which it was found
}

// pushes are the packets that a prober sends to a pod that does not answer, so that the counters of the tunnel show
// them, and pushed are their bytes. The tunnel adds to each of them, so there is no doubt.
const (
	pushes = 20
	pushed = pushes * 1000
)

// faults names the hops that keep packets from passing. If there are any, it asks the listeners and the gateways.
func (t *Test) faults(ctx context.Context, result *Result) []Fault {
	lost := slices.DeleteFunc(slices.Clone(result.Paths), func(path Path) bool { return !path.Lost })
	if len(lost) == 0 {
		return append(t.oversized(result.Paths), t.lossy(result.Paths)...)
	}
	t.options.Progress("Packets were lost. Looking for the hop.")
	_ = t.both(func(s, _ *station) error { s.detour(ctx); return nil })
	_ = t.both(func(s, _ *station) error { s.hear(ctx); return nil })
	if down := t.tunnelDown(ctx); down != nil {
		return []Fault{*down}
	}
	faults := t.hops(ctx, result.Paths)
	if len(faults) == 0 {
		faults = append(faults, unknown(lost[0]))
	}
	for _, s := range []*station{t.client, t.server} {
		faults = s.common(ctx, faults)
	}
	return faults
}

// hops returns the hops at which the packets of paths get lost, in either direction, each once.
func (t *Test) hops(ctx context.Context, paths []Path) []Fault {
	var faults []Fault
	for _, path := range paths {
		if !path.Lost {
			continue
		}
		for _, direction := range []way{path.way, path.reverse()} {
			found := t.locate(ctx, paths, direction)
			if found != nil && !slices.ContainsFunc(faults, found.isSame) {
				faults = append(faults, *found)
			}
		}
	}
	return faults
}

// common returns the faults, in which the gateway of the leaf takes the place of its nodes if all of several nodes have
// the same fault. A gateway that drops what comes from the nodes looks like nodes that send nothing.
func (s *station) common(ctx context.Context, faults []Fault) []Fault {
	ofNode := func(fault Fault) bool { return fault.Hop == HopNode && fault.Leaf == s.Leaf.Name }
	first, count := slices.IndexFunc(faults, ofNode), 0
	for _, fault := range faults {
		if ofNode(fault) {
			count++
		}
	}
	if count < 2 || count < len(s.names) {
		return faults
	}
	at := faults[first]
	faults[first] = *s.gatewayFault(ctx, at.way)
	return slices.DeleteFunc(faults, ofNode)
}

// isSame reports whether two faults are of the same hop.
func (f *Fault) isSame(other Fault) bool {
	return f.Hop == other.Hop && f.Leaf == other.Leaf && f.Node == other.Node
}

// reverse returns the way back.
func (w way) reverse() way { return way{from: w.to, to: w.from, source: w.target, target: w.source} }

// view is what came back to the source of a way.
func (w way) view() *answer { return w.in(w.from.reports) }

// in returns what one of the reports of the leaf says about a way.
func (w way) in(reports []report) *answer {
	if w.source < len(reports) {
		if answer := reports[w.source].answers[w.from.addresses[w.target]]; answer != nil {
			return answer
		}
	}
	return &answer{}
}

// reaches reports whether a router after so many hops, or one behind it, has answered the source of a way. What is
// before the gateway is the same for all targets.
func (w way) reaches(hops int) bool {
	for target := range w.from.addresses {
		other := way{w.from, w.to, w.source, target}
		if hops <= hopsToGateway && other.view().passes() {
			return true
		}
		for hop := range other.view().hops {
			if hop >= hops && (hops <= hopsToGateway || target == w.target) {
				return true
			}
		}
	}
	return false
}

// reachesNode reports whether the source of a way reaches its own node. A node that has no route does not say that a
// packet has taken too many hops.
func (w way) reachesNode() bool {
	node := w.from.reports[w.source].node
	return w.reaches(hopsToNode) || node != nil && node.lasts() || w.from.overlayOf(w.source) == yes
}

// The number of hops to the gateway of the source's leaf, and to the node of the target. The other gateway is between
// them, and does not answer: its answers would not get back into the tunnel.
const (
	hopsToNode    = 1
	hopsToGateway = 2
	hopsToTarget  = 4
)

// certainty is yes, no, or nobody knows.
type certainty int

const (
	unsure certainty = iota
	yes
	no
)

func certain(is bool) certainty {
	if is {
		return yes
	}
	return no
}

// arrives reports whether pings arrive at the target of a way. The listener does not know from where they came, so it
// counts only what the other pods can't have sent. A few may have arrived before Liqo had a route to the new listener,
// so most must. Those of a pod without a route take the same way.
func (w way) arrives() certainty {
	if w.detour().lasts() {
		return yes
	}
	if w.target >= len(w.to.heard) || !w.to.heard[w.target].told {
		return unsure
	}
	sent, answered := 0, 0 // pings of the other pods. An answered one has arrived
	for source := range w.from.reports {
		other := way{w.from, w.to, source, w.target}
		if source != w.source {
			sent, answered = sent+other.view().pings, answered+other.view().Answered
		}
		sent, answered = sent+other.detour().Sent, answered+other.detour().Answered
	}
	switch requests := w.to.heard[w.target].requests; {
	case 2*(requests-sent) > w.view().pings:
		return yes
	case requests <= answered:
		return no
	default:
		return unsure
	}
}

// carried reports whether a gateway's counter shows the packets of a way, and not only those that were answered before
// the way fell silent. It need not be all of them: some may get lost.
func (w way) carried(bytes int) certainty {
	if bytes < 0 {
		return unsure
	}
	const ofPing = 128 // bytes of a small one in the tunnel
	least := pushed * 3 / 4
	for source := range w.from.reports {
		for target := range w.to.reports {
			for _, other := range []way{{w.from, w.to, source, target}, {w.to, w.from, target, source}} {
				least += ofPing * (other.view().early() + other.detour().Sent)
			}
		}
	}
	return certain(bytes >= least)
}

// bytes returns the least and the most that the gateway of a leaf has sent into the tunnel and received from it, as its
// listeners know; -1 if none does.
func (s *station) bytes() (sent, received int) {
	sent, received = -1, -1
	for _, h := range s.heard {
		sent, received = max(sent, h.sent), max(received, h.received)
	}
	return sent, received
}

// overlayOf reports whether the gateway answers in the overlay, from a node.
func (s *station) overlayOf(node int) certainty {
	if answer := s.reports[node].overlay; answer != nil && answer.Sent > 0 {
		return certain(answer.lasts())
	}
	return unsure
}

// locate returns the hop at which packets of a way get lost, or nil if they arrive.
func (t *Test) locate(ctx context.Context, paths []Path, w way) *Fault {
	if w.view().passes() {
		return nil
	}
	if forbidden := w.forbidden(); forbidden != nil {
		return forbidden
	}
	switch {
	case w.arrives() == yes:
		return nil
	case !w.reachesNode():
		return w.from.podFault(ctx, w, w.source)
	// If the way back answers, the networks of both nodes and all between them pass packets in both directions.
	case w.reverse().view().passes(), w.reaches(hopsToTarget):
		return w.to.podFault(ctx, w, w.target)
	case w.reaches(hopsToGateway), !w.from.passes(paths) && w.passesUnseen():
		return w.behindGateway(ctx, w.from.passes(paths))
	case w.from.overlayOf(w.source) == yes:
		return w.from.nodeFault(w, w.source)
	default:
		return w.from.overlayFault(w, w.source)
	}
}

// passes reports whether packets of any node of the leaf arrive.
func (s *station) passes(paths []Path) bool {
	return slices.ContainsFunc(paths, func(path Path) bool { return path.from == s && !path.Lost })
}

// passesUnseen reports whether packets of a way may have reached the gateway of their leaf, although no pod there has
// an answer of it. What the gateway says has an address that is not its pod's. If no pod of either leaf hears of a
// gateway, pod networks may drop that, which let a pod send only with its own address.
func (w way) passesUnseen() bool {
	if sent, _ := w.from.bytes(); sent >= 0 {
		return w.carried(sent) == yes
	}
	return !w.from.hearsGateway() && !w.to.hearsGateway()
}

// hearsGateway reports whether a pod of the leaf has an answer of the gateway itself.
func (s *station) hearsGateway() bool {
	for node, report := range s.reports {
		for _, answer := range report.answers {
			if answer.hops[hopsToGateway] {
				return true
			}
		}
		if s.overlayOf(node) == yes {
			return true
		}
	}
	return false
}

// behindGateway returns the hop at which packets get lost that reach the gateway of their leaf. Works reports whether
// those of another node arrive.
func (w way) behindGateway(ctx context.Context, works bool) *Fault {
	sent, _ := w.from.bytes()
	_, received := w.to.bytes()
	switch {
	case w.reverse().roundabout():
		return w.to.overlayFault(w, w.target)
	case !works && w.carried(sent) == no:
		return w.from.gatewayFault(ctx, w)
	case !works && w.carried(sent) == yes && w.carried(received) == no:
		return tunnelFault(w)
	case !w.reverse().reachesNode(): // before the overlay, which a pod does not reach without its node either
		return w.to.podFault(ctx, w, w.target)
	case w.to.overlayOf(w.target) == no && (w.to.hearsGateway() || w.from.hearsGateway()):
		return w.to.overlayFault(w, w.target)
	case works:
		return w.to.nodeFault(w, w.target)
	case w.carried(received) == yes:
		return w.to.gatewayFault(ctx, w)
	default:
		return gatewaysFault(ctx, w)
	}
}

// tunnelDown returns the fault of a tunnel of which a gateway reports that it is down. The gateways report seldom, so
// it waits until both have reported once more.
func (t *Test) tunnelDown(ctx context.Context) *Fault {
	_ = t.both(func(s, _ *station) error {
		s.reportedAnew(ctx)
		return nil
	})
	up := t.client.objects.Tunnel() == networkingv1beta1.Connected &&
		t.server.objects.Tunnel() == networkingv1beta1.Connected
	if up {
		return nil
	}
	return &Fault{Hop: HopTunnel, Problem: *explain.Down(ctx, t.client.Subject(), t.server.Subject())}
}

// reportedAnew returns when the gateway has reported its tunnel again, or does not do so any more. It updates the
// objects.
func (s *station) reportedAnew(ctx context.Context) {
	before := s.objects
	ctx, cancel := context.WithTimeout(ctx, s.longestSilence(ctx))
	defer cancel()
	// An error means that there was no report. Then the last one counts.
	_ = s.Leaf.Until(ctx, string(s.Remote.ID), func(ctx context.Context) (bool, error) {
		objects, err := s.Observe(ctx)
		if err != nil {
			return false, err
		}
		s.objects = objects
		old, current := before.Latency(), objects.Latency()
		return objects.Tunnel() != networkingv1beta1.Connected ||
			current != nil && (old == nil || current.MeasuredAt.After(old.MeasuredAt)), nil
	}, &networkingv1beta1.Connection{})
}

// unknown is the fault of a path whose packets arrive in both directions, and whose answers do not.
func unknown(path Path) Fault {
	return Fault{Hop: HopUnknown, Problem: trouble.Problem{
		ID:      "pings-unanswered",
		Summary: fmt.Sprintf("pings from %q to %q are not answered", path.From.Leaf, path.To.Leaf),
		Evidence: []string{
			path.story(),
			"What was observed does not name a hop. When the test looked for one, packets may have passed again.",
		},
		Advice: "Apply again to repeat the test.",
	}}
}
