package shortcut

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// network is what the two leaves hold of their network.
type network struct{ client, server objects }

// look reads both leaves' caches.
func (s *Shortcut) look(ctx context.Context) (network, error) {
	atClient, err := s.client.find(ctx)
	if err != nil {
		return network{}, err
	}
	atServer, err := s.server.find(ctx)
	return network{atClient, atServer}, err
}

// made lists what somebody wrote, one object of a kind at each end.
func (n network) made() []client.Object { return append(n.client.made(), n.server.made()...) }

// reversed reports whether the gateways speak for the opposite direction: the server dials. Without a gateway, or with as many that speak for either direction, they do
// not.
func (n network) reversed() bool {
	return gateways(n.client, n.server) < gateways(n.server, n.client)
}

// gateways counts those that there are for one leaf to dial another.
func gateways(client, server objects) int {
	count := 0
	if client.client != nil {
		count++
	}
	if server.server != nil {
		count++
	}
	return count
}

// reverse is the network with its ends changed over.
func (n network) reverse() network { return network{client: n.server, server: n.client} }

// whose resolves whose an object is. What a create that was killed has left behind is nobody's, or whose it was before that one began to adopt it. The caller
// has the turn, so nobody is at work on it.
func (n network) whose(owner Owner, object client.Object) whose {
	if w := owner.of(object); w != another || n.complete(tokenOf(object)) {
		return w
	}
	if before, adopted := previousOf(object); adopted {
		return before.whose()
	}
	return nobodys
}

// complete reports whether the owner with this token has once had the whole shortcut: at least one leaf says so.
func (n network) complete(token string) bool {
	for _, found := range []objects{n.client, n.server} {
		for _, object := range append(found.made(), found.extra...) {
			if configuration, ok := object.(*networkingv1beta1.Configuration); ok && completeBy(configuration) == token {
				return true
			}
		}
	}
	return false
}

// soleOwner is the token of the one owner that objects of the network belong to; empty where there is none, or more than one.
func (n network) soleOwner() string {
	sole := ""
	for _, object := range n.made() {
		token := tokenOf(object)
		if sole != "" && token != "" && token != sole {
			return ""
		}
		sole = cmp.Or(sole, token)
	}
	return sole
}

// SoleOwner is the token of the one owner that objects of the network belong to; empty where there is none, or more than one.
func (s *Shortcut) SoleOwner(ctx context.Context) (string, error) {
	found, err := s.look(ctx)
	return found.soleOwner(), err
}

// originOf is where the owner with this token made the shortcut, as far as the leaves say.
func (n network) originOf(token string) Origin {
	for _, found := range []objects{n.client, n.server} {
		if found.configuration != nil && tokenOf(found.configuration) == token {
			return originOf(found.configuration)
		}
	}
	return Origin{}
}

// Maker is who made a network.
type Maker string

// The values of [Maker]. A network that nothing is left of has none: the empty value.
const (
	// ByProvider means that every object of the network carries this provider's label, because it made or adopted them all.
	ByProvider Maker = ManagedBy
	// ByPeering means that the two clusters are peered, and that the network is not this provider's alone.
	ByPeering Maker = "peering"
	// ByOther means liqoctl, or another program; also where only a part of the network is this provider's.
	ByOther Maker = "other"
)

// madeBy is who made what there is of the network of two clusters that are peered, or not.
func (n network) madeBy(peered bool) Maker {
	made := n.made()
	switch {
	case len(made) == 0:
		return ""
	case allManaged(made):
		return ByProvider
	case peered:
		return ByPeering
	default:
		return ByOther
	}
}
