package shortcut

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// WhyDown asks both leaves why the tunnel is not up, though all objects of the shortcut are in place. What can't be read it mentions, and goes on.
func (s *Shortcut) WhyDown(ctx context.Context) *explain.Problem {
	return explain.Down(ctx, s.client.subject(), s.server.subject())
}

// subject is this leaf's part of the network, for package explain.
func (s *side) subject() explain.Subject {
	return explain.Subject{Leaf: s.leaf, RemoteName: s.remote.Name, RemoteID: s.remote.ID, Find: func(ctx context.Context) (explain.Objects, error) {
		found, err := s.find(ctx)
		return found.explained(), err
	}}
}

func (o objects) explained() explain.Objects {
	all := explain.Objects{
		Configuration: o.configuration, Server: o.server, Client: o.client, PublicKey: o.publicKey, Connection: o.connection,
		Leaving: slices.DeleteFunc(o.all(), func(object client.Object) bool { return !leaving(object) }),
	}
	if endpointOf(o.server) != nil {
		all.Endpoint = o.server.Status.Endpoint
	}
	if gateway := o.gateway(); gateway != nil {
		all.Tunnel = o.connected(gateway)
	}
	return all
}
