package shortcut

import (
	"cmp"
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// network is the objects of the two leaves' network.
type network struct {
	client, server end.Objects

	unfinished end.Unfinished // creates that the lease of the pair lists; nil if nobody has read it
}

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
func (n network) reverse() network {
	n.client, n.server = n.server, n.client
	return n
}

// whose returns whose an object is. An object that a killed create has left behind has no owner, or
// the one from before that create began to adopt it. The caller has the turn, so the create is not
// still under way. An object of one end has another lease, which says this.
//
// If objects of several owners are mixed, the network is that of the owner who has most of them, and the others are
// nobody's to that owner.
func (n network) whose(owner end.Owner, object client.Object) end.Whose {
	whose, token := owner.Of(object), end.TokenOf(object)
	switch {
	case whose != end.Another || end.IsHalf(object):
		return whose
	case n.abandonedTo(owner, token):
		if before, adopted := end.PreviouslyOf(object); adopted {
			return before
		}
		return end.Nobodys
	case owner.Token != "" && n.mainOwner() == owner.Token:
		return end.Nobodys
	default:
		return end.Another
	}
}

// abandonedTo reports whether no state has the shortcut with this token, as far as the owner that asks is concerned.
func (n network) abandonedTo(asks end.Owner, token string) bool {
	return n.isUnfinished(token) && n.unfinished.AbandonedTo(asks, token)
}

// isUnfinished reports whether the create of the shortcut with this token is under way, or has not ended as it should.
// A record that it was complete counts more than the lease, which may be one that could not be released.
func (n network) isUnfinished(token string) bool {
	_, listed := n.unfinished[token]
	return listed && !n.complete(token)
}

// complete reports whether a leaf records that the shortcut of the owner with this token was complete. One leaf that
// says so is enough.
func (n network) complete(token string) bool {
	return n.client.CompleteBy(token) || n.server.CompleteBy(token)
}

// mainOwner returns the token of the shortcut that has most objects of the network. If several have as many, it is the
// one whose objects come first, those of the client before those of the server. It is empty if none has any.
func (n network) mainOwner() string {
	count, main := map[string]int{}, ""
	for _, object := range n.made() {
		token := end.TokenOf(object)
		if token == "" || end.IsHalf(object) {
			continue
		}
		if count[token]++; count[token] > count[main] {
			main = token
		}
	}
	return main
}

// Strays names the objects that another resource has marked as its own, although the network is this owner's. That
// happens if two operations worked on the pair at the same time. [Shortcut.Connect] takes these objects back. Strays
// reads the caches.
func (s *Shortcut) Strays(ctx context.Context) ([]string, error) {
	found, err := s.look(ctx)
	return append(s.strays(s.Client, found, found.client), s.strays(s.Server, found, found.server)...), err
}

// strays does so for one end of a network.
func (s *Shortcut) strays(at *end.End, n network, found end.Objects) []string {
	if at.Owner.Token == "" || n.mainOwner() != at.Owner.Token {
		return nil
	}
	var names []string
	for _, object := range found.Made() {
		if !end.IsHalf(object) && at.Owner.Of(object) == end.Another {
			names = append(names, fmt.Sprintf("%s on leaf %q", at.Leaf.Describe(object), at.Leaf.Name))
		}
	}
	return names
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

// SoleOwner returns the token and the origin of the only shortcut that owns objects of the network. They are empty if
// there is none, or more than one.
func (s *Shortcut) SoleOwner(ctx context.Context) (token string, origin end.Origin, err error) {
	found, err := s.look(ctx)
	if token = found.soleOwner(); token != "" {
		origin = found.originOf(token)
	}
	return token, origin, err
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
