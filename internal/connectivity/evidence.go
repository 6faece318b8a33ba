package connectivity

import "context"

// certainty is yes, no, or nobody knows. What nobody has seen is no evidence: a packet, a router or a pod may be late.
type certainty int

const (
	unsure certainty = iota
	yes
	no
)

// onlyYes is for what can be seen, but whose absence shows nothing.
func onlyYes(is bool) certainty {
	if is {
		return yes
	}
	return unsure
}

// evidence is what was observed about a way on which packets get lost.
type evidence [observations]certainty

// The observations. Here is the leaf of the source, and there is the leaf of the target.
const (
	arrived       = iota // most pings have arrived at the target
	ownNode              // the source reaches its node
	ownGateway           // packets of the source reach the gateway here
	ownOverlay           // the gateway here answers the source in the overlay
	answered             // pings of the target are answered
	remoteNode           // the source reaches the target's node
	remotePod            // the target reaches its node
	remoteOverlay        // the gateway there answers the target in the overlay
	otherNode            // packets of a node here arrive, and are answered
	pastOverlay          // what comes past the overlay there arrives: it passes both gateways
	beforeOverlay        // not even what comes past the overlay there arrives, although that can
	lostBehind           // packets of another node here reach the gateway, and do not arrive at the target
	hearing              // a pod of either leaf gets answers of a gateway itself
	tunnel               // both gateways have reported the tunnel as up since
	observations
)

// observe returns what was observed about a way.
func (w way) observe() evidence {
	e := evidence{
		arrived: w.arrives(), ownNode: w.reachesNode(), ownGateway: onlyYes(w.reachesGateway()),
		ownOverlay: w.from.overlayOf(w.source), answered: onlyYes(w.reverse().again().lasts()),
		remoteNode: onlyYes(w.reachesTarget()), remotePod: w.reverse().reachesNode(),
		remoteOverlay: w.to.overlayOf(w.target), otherNode: onlyYes(w.from.passes()),
		tunnel: onlyYes(w.from.isUp && w.to.isUp),
	}
	for _, s := range []*station{w.from, w.to} {
		for node := range s.reports {
			if s.hears(node) {
				e[hearing] = yes
			}
		}
	}
	for source := range w.from.reports {
		other := way{w.from, w.to, source, w.target}
		if source != w.source && !other.probed().passes() && other.reachesGateway() && other.arrives() != yes {
			e[lostBehind] = yes
		}
	}
	// The target's pod with a route looks later than the one without. If it gets answers, packets just pass again.
	detour, later := w.reverse().detour(), w.reverse().again()
	switch {
	case detour.lasts():
		e[pastOverlay] = onlyYes(later.Sent > 0 && !later.lasts())
	case detour.Sent > 0 && e[remoteOverlay] == yes && w.reverse().arrives() == yes:
		e[beforeOverlay] = yes
	}
	return e
}

// verdicts say what evidence shows. The first one holds whose observations were all made. The last ones are open: they
// name what comes into question.
var verdicts = []struct {
	observed evidence
	fault    func(way, context.Context) *Fault // nil if nothing gets lost on this way
}{
	{evidence{arrived: yes}, nil},
	{evidence{ownNode: no}, way.podHere},
	{evidence{remoteNode: yes}, way.podThere},
	{evidence{ownGateway: yes, answered: yes}, way.podThere},
	{evidence{answered: yes}, way.eitherPod},
	{evidence{pastOverlay: yes}, way.overlayThere},
	{evidence{ownGateway: yes, remotePod: no}, way.podThere},
	{evidence{ownGateway: yes, remoteOverlay: no}, way.overlayThere},
	{evidence{ownGateway: yes, otherNode: yes}, way.behindGatewayThere},
	{evidence{ownGateway: yes, beforeOverlay: yes, tunnel: yes}, way.eitherGateway},
	{evidence{ownGateway: yes}, way.betweenNodes},
	{evidence{ownOverlay: yes}, way.nodeHere},
	{evidence{ownOverlay: no}, way.overlayHere},
	{evidence{lostBehind: yes}, nil}, // the way of that node shows more
	{evidence{otherNode: yes}, way.overlayHere},
	{evidence{hearing: yes}, way.overlayHere},
	{evidence{}, way.betweenNodes},
}

// locate returns the fault on a way, or nil if packets pass on it.
func (w way) locate(ctx context.Context) *Fault {
	if w.probed().passes() {
		return nil
	}
	if forbidden := w.forbidden(); forbidden != nil {
		return forbidden
	}
	seen := w.observe()
	for _, verdict := range verdicts {
		if seen.shows(verdict.observed) {
			if verdict.fault == nil {
				return nil
			}
			return verdict.fault(w, ctx)
		}
	}
	return nil
}

// shows reports whether everything was observed that is not unsure.
func (e evidence) shows(observed evidence) bool {
	for i, wanted := range observed {
		if wanted != unsure && e[i] != wanted {
			return false
		}
	}
	return true
}
