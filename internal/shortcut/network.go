package shortcut

import (
	"cmp"
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// network is what the two leaves hold of their network.
type network struct{ client, server end.Objects }

// look reads both leaves' caches.
func (s *Shortcut) look(ctx context.Context) (network, error) {
	atClient, err := s.Client.Find(ctx)
	if err != nil {
		return network{}, err
	}
	atServer, err := s.Server.Find(ctx)
	return network{atClient, atServer}, err
}

// made lists what somebody wrote, one object of a kind at each end.
func (n network) made() []client.Object { return append(n.client.Made(), n.server.Made()...) }

// reversed reports whether the gateways speak for the opposite direction: the server dials. Without a gateway, or with
// as many that speak for either direction, they do not.
func (n network) reversed() bool {
	return gateways(n.client, n.server) < gateways(n.server, n.client)
}

// gateways counts those that there are for one leaf to dial another.
func gateways(client, server end.Objects) int {
	count := 0
	if client.GatewayClient != nil {
		count++
	}
	if server.GatewayServer != nil {
		count++
	}
	return count
}

// reverse is the network with its ends changed over.
func (n network) reverse() network { return network{client: n.server, server: n.client} }

// whose resolves whose an object is. What a create that was killed has left behind is nobody's, or whose it was before
// that one began to adopt it. The caller has the turn, so nobody is at work on it.
func (n network) whose(owner end.Owner, object client.Object) end.Whose {
	if whose := owner.Of(object); whose != end.Another || n.complete(end.TokenOf(object)) {
		return whose
	}
	if before, adopted := end.PreviouslyOf(object); adopted {
		return before
	}
	return end.Nobodys
}

// complete reports whether the owner with this token has once had the whole shortcut: at least one leaf says so.
func (n network) complete(token string) bool {
	return n.client.CompleteBy(token) || n.server.CompleteBy(token)
}

// soleOwner is the token of the one owner that objects of the network belong to; empty where there is none, or more
// than one.
func (n network) soleOwner() string {
	sole := ""
	for _, object := range n.made() {
		token := end.TokenOf(object)
		if sole != "" && token != "" && token != sole {
			return ""
		}
		sole = cmp.Or(sole, token)
	}
	return sole
}

// SoleOwner is the token of the one owner that objects of the network belong to; empty where there is none, or more
// than one.
func (s *Shortcut) SoleOwner(ctx context.Context) (string, error) {
	found, err := s.look(ctx)
	return found.soleOwner(), err
}

// originOf is where the owner with this token made the shortcut, as far as the leaves say.
func (n network) originOf(token string) end.Origin {
	for _, found := range []end.Objects{n.client, n.server} {
		if found.Configuration != nil && end.TokenOf(found.Configuration) == token {
			return end.OriginOf(found.Configuration)
		}
	}
	return end.Origin{}
}

// Maker is who made a network.
type Maker string

// The values of [Maker]. A network that nothing is left of has none: the empty value.
const (
	// ByProvider means that every object of the network carries this provider's label, because it made or adopted them
	// all.
	ByProvider Maker = end.ManagedBy
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
	case end.AllManaged(made):
		return ByProvider
	case peered:
		return ByPeering
	default:
		return ByOther
	}
}
