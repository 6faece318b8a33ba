package shortcut

import (
	"context"
	"errors"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// holdings are what one leaf holds of all its networks and peerings, by the ID of the other cluster.
type holdings struct {
	networks map[string]objects
	peerings map[string]*liqov1beta1.ForeignCluster
}

// holdingsOf reads each kind once, however many networks there are. The networks are in the cache; the peerings are asked for.
func holdingsOf(ctx context.Context, leaf *cluster.Leaf) (holdings, error) {
	held := holdings{networks: map[string]objects{}, peerings: map[string]*liqov1beta1.ForeignCluster{}}
	var (
		configurations networkingv1beta1.ConfigurationList
		servers        networkingv1beta1.GatewayServerList
		clients        networkingv1beta1.GatewayClientList
		publicKeys     networkingv1beta1.PublicKeyList
		connections    networkingv1beta1.ConnectionList
		foreign        liqov1beta1.ForeignClusterList
	)
	err := errors.Join(
		leaf.Cached.List(ctx, &configurations), leaf.Cached.List(ctx, &servers), leaf.Cached.List(ctx, &clients),
		leaf.Cached.List(ctx, &publicKeys), leaf.Cached.List(ctx, &connections), leaf.Live.List(ctx, &foreign),
	)
	if err != nil {
		return holdings{}, leaf.Explain(err)
	}
	collect(held, configurations.Items, func(o *objects, found *networkingv1beta1.Configuration) { keepOlder(&o.configuration, found) })
	collect(held, servers.Items, func(o *objects, found *networkingv1beta1.GatewayServer) { keepOlder(&o.server, found) })
	collect(held, clients.Items, func(o *objects, found *networkingv1beta1.GatewayClient) { keepOlder(&o.client, found) })
	collect(held, publicKeys.Items, func(o *objects, found *networkingv1beta1.PublicKey) { keepOlder(&o.publicKey, found) })
	collect(held, connections.Items, func(o *objects, found *networkingv1beta1.Connection) { keepOlder(&o.connection, found) })
	for i := range foreign.Items {
		if peered(&foreign.Items[i]) {
			held.peerings[string(foreign.Items[i].Spec.ClusterID)] = &foreign.Items[i]
		}
	}
	return held, nil
}

// collect puts each object to the others of its network. What belongs to no remote cluster is no part of one.
func collect[T any, P interface {
	*T
	client.Object
}](held holdings, items []T, put func(*objects, P)) {
	for i := range items {
		object := P(&items[i])
		if id := cluster.RemoteID(object); id != "" {
			network := held.networks[id]
			put(&network, object)
			held.networks[id] = network
		}
	}
}

// keepOlder chooses the older one of two objects of one kind, and the one whose name comes first if they are of the same age. Liqo can't cope with two, and a
// view of all networks must not fail because of one.
func keepOlder[T any, P interface {
	*T
	client.Object
}](kept *P, found P) {
	if *kept == nil {
		*kept = found
		return
	}
	age := found.GetCreationTimestamp().Compare((*kept).GetCreationTimestamp().Time)
	if age < 0 || (age == 0 && client.ObjectKeyFromObject(found).String() < client.ObjectKeyFromObject(*kept).String()) {
		*kept = found
	}
}
