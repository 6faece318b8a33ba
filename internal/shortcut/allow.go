package shortcut

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// Allow is what may cross a network: the connections that pods of one leaf may open to pods of the other one. Nothing
// else crosses but the answers, and errors of ICMP.
type Allow struct {
	ToClient, ToServer []liqo.Rule
}

// Limits returns what one end enforces, or nil if everything may cross. The ranges are those that the leaves announce.
func (a *Allow) Limits(own, other liqo.Ranges, isClient bool) *liqo.Limits {
	if a == nil {
		return nil
	}
	limits := &liqo.Limits{
		In: a.ToServer, Out: a.ToClient, Own: own.PodCIDRs, Other: other.PodCIDRs, Nodes: own.NodeAddress(),
	}
	if isClient {
		limits.In, limits.Out = limits.Out, limits.In
	}
	return limits
}

// OpenConnections are those that a change closes for new ones, but that go on while they are open: their packets look
// like answers to connections that a rule for the other leaf lets cross.
type OpenConnections struct {
	ToServer     bool // to pods of the server, and not of the client
	Closed, Like liqo.Rule
}

// StayOpen returns which connections go on after a change. Before is nil if everything could cross.
func (a *Allow) StayOpen(before *Allow) []OpenConnections {
	if before == nil {
		before = &Allow{ToClient: []liqo.Rule{{}}, ToServer: []liqo.Rule{{}}}
	}
	var open []OpenConnections
	for _, way := range []struct {
		toServer           bool
		before, now, other []liqo.Rule
	}{{false, before.ToClient, a.ToClient, a.ToServer}, {true, before.ToServer, a.ToServer, a.ToClient}} {
		for _, closed := range way.before {
			if slices.ContainsFunc(way.now, func(rule liqo.Rule) bool { return rule.Includes(closed) }) {
				continue
			}
			for _, rule := range way.other {
				if rule.AnswersLike(closed) {
					open = append(open, OpenConnections{way.toServer, closed, rule})
				}
			}
		}
	}
	return open
}

// anywhere stands for the ranges of the other leaf where only one end is known. Rules for the other leaf match where
// answers come from. Whoever could send others than these could also send from the right addresses.
var anywhere = liqo.Ranges{PodCIDRs: []string{"0.0.0.0/0"}}

// allowAt returns what may cross as one end enforces it, or nil if it has no rules.
func allowAt(limits *liqo.Limits, isClient bool) *Allow {
	if limits == nil {
		return nil
	}
	allow := &Allow{ToClient: limits.Out, ToServer: limits.In}
	if isClient {
		return allow.reverse()
	}
	return allow
}

// reverse returns the same with the roles of the leaves swapped.
func (a *Allow) reverse() *Allow {
	if a == nil {
		return nil
	}
	return &Allow{ToClient: a.ToServer, ToServer: a.ToClient}
}

// allow returns what may cross as both ends enforce it, or nil.
func (n network) allow() *Allow {
	client, server := n.client.Limits(), n.server.Limits()
	if client == nil || server == nil {
		return nil
	}
	announced := slices.Equal(client.Own, n.server.ObservedRemote().PodCIDRs) &&
		slices.Equal(server.Own, n.client.ObservedRemote().PodCIDRs)
	mirrored := equality.Semantic.DeepEqual(allowAt(client, true), allowAt(server, false))
	if !announced || !mirrored || !knows(client, server) || !knows(server, client) {
		return nil
	}
	return allowAt(client, true)
}

// knows reports whether the rules of one end are for the pods of the other end that the rules there are for.
func knows(one, other *liqo.Limits) bool {
	return slices.Equal(one.Other, other.Own) || slices.Equal(one.Other, anywhere.PodCIDRs)
}

// lacksRules reports whether an end does not enforce the rules that it should: someone has edited or removed them, or
// they are not those of the other end of a shortcut. Ends with resources of their own may have different rules.
func (n network) lacksRules() bool {
	switch {
	case !n.client.HasLimits() && !n.server.HasLimits():
		return false
	case owner.IsEndObject(n.client.Gateway) || owner.IsEndObject(n.server.Gateway):
		return n.client.LimitsEdited() || n.server.LimitsEdited()
	default:
		return n.allow() == nil
	}
}
