package shortcut

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// network is the objects of the two leaves' network.
type network struct{ client, server end.Objects }

// look reads both leaves' caches.
func (s *Shortcut) look(ctx context.Context) (network, error) { return s.read(ctx, (*end.End).Find) }

// observe is like look, and also finds out whether gateways have fallen silent, which the status needs.
func (s *Shortcut) observe(ctx context.Context) (network, error) {
	return s.read(ctx, (*end.End).Observe)
}

// read reads both ends at the same time.
func (s *Shortcut) read(
	ctx context.Context, one func(*end.End, context.Context) (end.Objects, error),
) (found network, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { found.client, err = one(s.Client, ctx); return err })
	group.Go(func() (err error) { found.server, err = one(s.Server, ctx); return err })
	err = group.Wait()
	return found, err
}

// made returns all objects except Connections, one of a kind at each end.
func (n network) made() []client.Object { return append(n.client.Made(), n.server.Made()...) }

// reversed reports whether the gateways have the opposite direction, so that the server dials. It
// counts the gateways of each direction. A tie is not reversed.
func (n network) reversed() bool {
	return gateways(n.client, n.server) < gateways(n.server, n.client)
}

// gateways counts the gateways with which client dials server.
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

// reverse returns the network with its ends swapped.
func (n network) reverse() network { return network{client: n.server, server: n.client} }

// whose returns whose an object is. An object that a killed create has left behind has no owner, or
// the one from before that create began to adopt it. The caller has the turn, so the create is not
// still under way. The create of a half may be: it has the turn on its own leaf only.
func (n network) whose(owner end.Owner, object client.Object) end.Whose {
	if whose := owner.Of(object); whose != end.Another || end.IsHalf(object) || n.complete(end.TokenOf(object)) {
		return whose
	}
	if before, adopted := end.PreviouslyOf(object); adopted {
		return before
	}
	return end.Nobodys
}

// complete reports whether the shortcut of the owner with this token was ever complete. One leaf that
// says so is enough.
func (n network) complete(token string) bool {
	return n.client.CompleteBy(token) || n.server.CompleteBy(token)
}

// soleOwner returns the token of the only shortcut that owns objects of the network. It is empty if there is
// none, or more than one.
func (n network) soleOwner() string {
	sole := ""
	for _, object := range n.made() {
		token := end.TokenOf(object)
		if end.IsHalf(object) {
			continue
		}
		if sole != "" && token != "" && token != sole {
			return ""
		}
		sole = cmp.Or(sole, token)
	}
	return sole
}

// SoleOwner returns the token of the only shortcut that owns objects of the network. It is empty if there is
// none, or more than one.
func (s *Shortcut) SoleOwner(ctx context.Context) (string, error) {
	found, err := s.look(ctx)
	return found.soleOwner(), err
}

// originOf returns the origin of the shortcut of the owner with this token, as the leaves record it.
func (n network) originOf(token string) end.Origin {
	for _, found := range []end.Objects{n.client, n.server} {
		if found.Configuration != nil && end.TokenOf(found.Configuration) == token {
			return end.OriginOf(found.Configuration)
		}
	}
	return end.Origin{}
}

// Maker says who created a network.
type Maker string

// The values of [Maker]. The value of a network without objects is empty.
const (
	// ByProvider means that this provider created or adopted every object of the network. They all have
	// its label.
	ByProvider Maker = end.ManagedBy
	// ByPeering means that the two clusters are peered, and that not all of the network is this
	// provider's.
	ByPeering Maker = "peering"
	// ByOther means liqoctl or another program. This includes a network of which only a part is this
	// provider's.
	ByOther Maker = "other"
)

// madeBy returns who created the network. Peered says whether the two clusters are peered.
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
