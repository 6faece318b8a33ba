package end

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Subject returns the end as a subject of package explain.
func (e *End) Subject() explain.Subject {
	find := func(ctx context.Context) (explain.Objects, error) {
		found, err := e.Observe(ctx)
		return found.explained(), err
	}
	return explain.Subject{Leaf: e.Leaf, RemoteName: e.Remote.Name, RemoteID: e.Remote.ID, Find: find}
}

func (o Objects) explained() explain.Objects {
	all := explain.Objects{
		Configuration: o.Configuration, Server: o.GatewayServer, Client: o.GatewayClient,
		PublicKey: o.PublicKey, Connection: o.Connection,
		Leaving: slices.DeleteFunc(o.all(), func(object client.Object) bool { return !Leaving(object) }),
	}
	if o.Endpoint() != nil {
		all.Endpoint = o.GatewayServer.Status.Endpoint
	}
	if gateway := o.Gateway(); gateway != nil {
		all.Tunnel, all.SilentSince = o.ConnectionStatus(gateway), o.SilentSince
	}
	return all
}
