package connectivity

import (
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// way is one direction of a path, by the stations and the indices of their nodes.
type way struct {
	from, to       *station
	source, target int
}

// reverse returns the way back.
func (w way) reverse() way { return way{from: w.to, to: w.from, source: w.target, target: w.source} }

// end is the index of the node of a way on a leaf.
func (w way) end(s *station) int {
	if s == w.from {
		return w.source
	}
	return w.target
}

// What came back to the source of a way: to its prober, when its pod looked again, and to the pod without a route.
func (w way) probed() *answer { return w.in(w.from.reports) }
func (w way) again() *answer  { return w.in(w.from.again) }
func (w way) detour() *answer { return w.in(w.from.detours) }

// in returns what one of the reports of the leaf says about a way.
func (w way) in(reports []report) *answer {
	if w.source < len(reports) {
		if answer := reports[w.source].answers[w.from.addresses[w.target]]; answer != nil {
			return answer
		}
	}
	return &answer{}
}

// arrives reports whether pings arrive at the target of a way. The listener does not know from where they came, so it
// counts only what the other pods can't have sent. A few may have arrived before Liqo had a route to the new listener,
// so most must. Those of a pod without a route take the same way.
func (w way) arrives() certainty {
	if w.detour().lasts() || w.again().lasts() {
		return yes
	}
	if w.target >= len(w.to.heard) || !w.to.heard[w.target].told {
		return unsure
	}
	sent, answered := 0, 0 // pings of the other pods. An answered one has arrived
	for source := range w.from.reports {
		other := way{w.from, w.to, source, w.target}
		if source != w.source {
			sent += other.probed().pings + other.again().Sent
			answered += other.probed().Answered + other.again().Answered
		}
		sent, answered = sent+other.detour().Sent, answered+other.detour().Answered
	}
	switch requests := w.to.heard[w.target].requests; {
	case 2*(requests-sent) > w.probed().pings+w.again().Sent:
		return yes
	case requests <= answered:
		return no
	default:
		return unsure
	}
}

// routers returns what routers say to the source of a way about pings that may take so many hops. What is before the
// tunnel is the same for all targets, and asked for one of them only.
func (w way) routers(hops int) []said {
	var all []said
	for target := range w.from.addresses {
		for _, one := range (way{w.from, w.to, w.source, target}).probed().said {
			if one.hops == hops && (hops < hopsToTarget || target == w.target) {
				all = append(all, one)
			}
		}
	}
	return all
}

// The number of hops to the gateway of the source's leaf, and to the node of the target. The other gateway is between
// them, and does not answer: its answers would not get back into the tunnel.
const (
	hopsToNode    = 1
	hopsToGateway = 2
	hopsToTarget  = 4
)

// reachesTarget reports whether the target's node certainly answers.
func (w way) reachesTarget() bool {
	return slices.ContainsFunc(w.routers(hopsToTarget), w.from.isLiqos)
}

// reachesGateway reports whether packets of a way certainly reach the gateway of the source's leaf.
func (w way) reachesGateway() bool {
	for target := range w.from.addresses {
		if other := (way{w.from, w.to, w.source, target}); other.probed().passes() || other.again().lasts() {
			return true
		}
	}
	return w.reachesTarget() || slices.ContainsFunc(w.routers(hopsToGateway), w.from.isLiqos)
}

// isLiqos reports whether a router that a ping has reached is certainly the gateway of the leaf, or behind it. Then its
// address is the gateway's, or the gateway has translated it into one of the other leaf. A node without a route may let
// packets go elsewhere, and other routers answer.
func (s *station) isLiqos(router said) bool {
	remote := s.objects.ObservedRemote()
	return !router.stuck && (router.router == s.gateway || router.router == s.overlay ||
		liqo.InRange(router.router, append(remote.RemappedPodCIDRs, remote.RemappedExternalCIDR)...))
}

// reachesNode reports whether the source of a way reaches its own node. A node that has no route does not say that a
// packet has taken too many hops.
func (w way) reachesNode() certainty {
	node := w.from.reports[w.source].node
	switch {
	case node != nil && node.lasts(), len(w.routers(hopsToNode)) > 0, w.reachesGateway(), w.from.hears(w.source):
		return yes
	case node != nil && node.Sent > 0:
		return no
	default:
		return unsure
	}
}

// ofOverlay is what the gateway answers a node's pod in the overlay, or nil. What the pod sees when it looks again
// counts: before Liqo has learned of the pod, answers come to it past the overlay.
func (s *station) ofOverlay(node int) *answer {
	if node < len(s.again) && s.again[node].overlay != nil {
		return s.again[node].overlay
	}
	return s.reports[node].overlay
}

// hears reports whether a node's pod gets answers of the gateway itself, which it asks through the overlay. They come
// back by the pod network.
func (s *station) hears(node int) bool {
	answer := s.ofOverlay(node)
	return answer != nil && answer.lasts()
}

// overlayOf reports whether the gateway answers in the overlay, from a node. Some pod networks drop what a gateway
// itself says, all of it or what is for other nodes than its own. So a silent gateway shows something only if another
// pod hears it, from no nearer.
func (s *station) overlayOf(node int) certainty {
	answer := s.ofOverlay(node)
	switch {
	case answer == nil || answer.Sent == 0:
		return unsure
	case answer.lasts():
		return yes
	}
	for other := range s.reports {
		if s.hears(other) && (s.gateways[s.names[node]] || !s.gateways[s.names[other]]) {
			return no
		}
	}
	return unsure
}

// passes reports whether packets of any node of the leaf arrive and are answered.
func (s *station) passes() bool {
	for _, report := range s.reports {
		for _, answer := range report.answers {
			if answer.passes() {
				return true
			}
		}
	}
	return false
}
