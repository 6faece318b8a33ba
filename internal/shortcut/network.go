package shortcut

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// network is the objects of the two leaves' network.
type network struct {
	client, server liqo.Objects

	unfinished owner.Unfinished // creates that the lease of the pair lists; nil if nobody has read it
}

// find reads both leaves' caches.
func (s *Shortcut) find(ctx context.Context) (network, error) {
	return s.readBoth(ctx, (*end.End).Find)
}

// observe is like find, and also finds out whether gateways have fallen silent, which the status needs.
func (s *Shortcut) observe(ctx context.Context) (network, error) {
	return s.readBoth(ctx, (*end.End).Observe)
}

// readBoth reads both ends at the same time.
func (s *Shortcut) readBoth(
	ctx context.Context, one func(*end.End, context.Context) (liqo.Objects, error),
) (n network, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { n.client, err = one(s.Client, ctx); return err })
	group.Go(func() (err error) { n.server, err = one(s.Server, ctx); return err })
	err = group.Wait()
	return n, err
}

// made returns all objects except Connections, one of a kind at each end.
func (n network) made() []client.Object { return append(n.client.Made(), n.server.Made()...) }

// reversed reports whether the gateways have the opposite direction, so that the server dials. It counts the gateways
// of each direction. A tie is not reversed.
func (n network) reversed() bool {
	return gateways(n.client, n.server) < gateways(n.server, n.client)
}

// gateways counts the gateways with which client dials server.
func gateways(client, server liqo.Objects) int {
	count := 0
	if client.GatewayAs(liqo.ClientRole) != nil {
		count++
	}
	if server.GatewayAs(liqo.ServerRole) != nil {
		count++
	}
	return count
}

// reverse returns the network with its ends swapped.
func (n network) reverse() network {
	n.client, n.server = n.server, n.client
	return n
}

// written returns all objects except Connections.
func (n network) written() []client.Object { return append(n.client.Written(), n.server.Written()...) }

// isUnfinished reports whether the create of the shortcut with this token is under way, or has not ended as it should.
// A record that it was complete counts more than the lease, which may be one that could not be released.
func (n network) isUnfinished(token string) bool {
	_, listed := n.unfinished[token]
	return listed && !n.complete(token)
}

// complete reports whether a leaf records that the shortcut of the owner with this token was complete. One leaf that
// says so is enough.
func (n network) complete(token string) bool { return owner.IsComplete(n.written(), token) }

// strays names the objects of a network that another resource has marked as its own, although the network is this
// owner's. That happens if two operations worked on the pair at the same time. [Shortcut.Connect] takes these objects
// back.
func (s *Shortcut) strays(n network) []string {
	self := s.Client.Owner
	if self.Token == "" || owner.Main(n.made()) != self.Token {
		return nil
	}
	var names []string
	add := func(e *end.End, objects []client.Object) {
		for _, object := range objects {
			if !owner.IsEndObject(object) && self.Whose(object) == owner.OtherOwner {
				names = append(names, fmt.Sprintf("%s on leaf %q", e.Leaf.Describe(object), e.Leaf.Name))
			}
		}
	}
	add(s.Client, n.client.Made())
	add(s.Server, n.server.Made())
	return names
}

// ImportedFrom returns the token and the origin of the shortcut that owns the network, or most of its objects. They are
// empty if there is none. An import takes the token, so that the objects need no other marks.
func (s *Shortcut) ImportedFrom(ctx context.Context) (token string, origin owner.Origin, err error) {
	n, err := s.find(ctx)
	if token = owner.Main(n.made()); token != "" {
		origin = owner.OriginFor(n.made(), token)
	}
	return token, origin, err
}

// Maker says who created a network.
type Maker string

// The values of [Maker]. The value of a network without objects is empty.
const (
	// ByProvider means that this provider created or took over every object of the network. They all have its label.
	ByProvider Maker = owner.ManagedBy
	// ByPeering means that the two clusters are peered, and that not all of the network is this provider's.
	ByPeering Maker = "peering"
	// ByOther means liqoctl or another program. This includes a network of which only a part is this provider's.
	ByOther Maker = "other"
)

// madeBy returns who created the network. Peered says whether the two clusters are peered.
func (n network) madeBy(peered bool) Maker {
	made := n.made()
	switch {
	case len(made) == 0:
		return ""
	case owner.AllManaged(made):
		return ByProvider
	case peered:
		return ByPeering
	default:
		return ByOther
	}
}

// Status is the state of a shortcut as a whole.
type Status string

// The values of [Status], from best to worst.
const (
	// Connected means that all objects are in place and both ends report the tunnel as up.
	Connected Status = "Connected"
	// Connecting means that all objects are in place, but the tunnel is not up yet, or not any longer, or a gateway has
	// stopped reporting on it.
	Connecting Status = "Connecting"
	// Error means that at least one end reports that the tunnel failed.
	Error Status = "Error"
	// Disconnected means that at least one leaf lacks something that the tunnel needs, or has it wrong.
	Disconnected Status = "Disconnected"
)

// Unknown is the [Status] of a network if only one end can be read. A [State] never has it.
const Unknown Status = "Unknown"

// status returns the status of a network whose client and server are known.
func (n network) status() Status {
	client, server := n.client, n.server
	switch {
	case client.Configuration == nil || client.GatewayAs(liqo.ClientRole) == nil,
		server.Configuration == nil || server.GatewayAs(liqo.ServerRole) == nil,
		client.Dialled() == nil || !end.KeyInPlace(client) || !end.KeyInPlace(server),
		n.lacksRules():
		return Disconnected
	}
	atClient, atServer := client.Tunnel(), server.Tunnel()
	switch {
	case atClient == networkingv1beta1.ConnectionError || atServer == networkingv1beta1.ConnectionError:
		return Error
	case atClient == networkingv1beta1.Connected && atServer == networkingv1beta1.Connected:
		return Connected
	default:
		return Connecting
	}
}

// statusAt returns the status of a network as its gateway at one end reports it.
func statusAt(objects liqo.Objects) Status {
	if objects.Gateway == nil || objects.LimitsEdited() {
		return Disconnected
	}
	switch objects.Tunnel() {
	case networkingv1beta1.Connected:
		return Connected
	case networkingv1beta1.ConnectionError:
		return Error
	default:
		return Connecting
	}
}
