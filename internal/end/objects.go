package end

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// Find reads the leaf's cache. If there are several objects of a kind, it takes the owner's.
func (e *End) Find(ctx context.Context) (liqo.Objects, error) {
	id := string(e.Remote.ID)
	networks, err := readNetworks(ctx, e.Leaf, client.MatchingLabels{consts.RemoteClusterID: id}, e.Owner)
	if err != nil {
		return liqo.Objects{}, err
	}
	objects := networks[id]
	err = objects.ReadFirewall(ctx, e.Leaf)
	return objects, err
}

// Observe is like Find, and also finds out whether the gateway has fallen silent. The status of the tunnel needs this.
// It asks the leaf only if the report of the gateway seems overdue.
func (e *End) Observe(ctx context.Context) (liqo.Objects, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return objects, err
	}
	objects.SilentSince, err = objects.ReadSilence(ctx, e.Leaf)
	return objects, err
}

// ObserveNetworks observes all networks in a leaf's cache. It returns their objects by the ID of the other cluster. If
// a network has several objects of a kind, it takes the owner's. It asks about all gateways whose reports seem overdue
// at the same time.
func ObserveNetworks(ctx context.Context, leaf *cluster.Leaf, self owner.Owner) (map[string]liqo.Objects, error) {
	networks, err := readNetworks(ctx, leaf, &client.ListOptions{}, self)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for id, network := range maps.Clone(networks) {
		group.Go(func() (err error) {
			if err = network.ReadFirewall(ctx, leaf); err == nil {
				network.SilentSince, err = network.ReadSilence(ctx, leaf)
			}
			mu.Lock()
			defer mu.Unlock()
			networks[id] = network
			return err
		})
	}
	return networks, group.Wait()
}

// readNetworks reads the objects in a leaf's cache, keyed by the ID of the other cluster. It reads each kind once,
// whatever the number of networks. If a network has several objects of a kind, it takes the owner's, or else the
// oldest.
func readNetworks(
	ctx context.Context, leaf *cluster.Leaf, which client.ListOption, self owner.Owner,
) (map[string]liqo.Objects, error) {
	var (
		configurations networkingv1beta1.ConfigurationList
		servers        networkingv1beta1.GatewayServerList
		clients        networkingv1beta1.GatewayClientList
		publicKeys     networkingv1beta1.PublicKeyList
		connections    networkingv1beta1.ConnectionList
	)
	for _, list := range []client.ObjectList{&configurations, &servers, &clients, &publicKeys, &connections} {
		if err := leaf.Cached.List(ctx, list, which); err != nil {
			return nil, leaf.Explain(err)
		}
	}
	networks := map[string]liqo.Objects{}
	collect(networks, self, configurations.Items,
		func(o *liqo.Objects) **networkingv1beta1.Configuration { return &o.Configuration })
	collect(networks, self, servers.Items,
		func(o *liqo.Objects) **networkingv1beta1.GatewayServer { return &o.GatewayServer })
	collect(networks, self, clients.Items,
		func(o *liqo.Objects) **networkingv1beta1.GatewayClient { return &o.GatewayClient })
	collect(networks, self, publicKeys.Items, func(o *liqo.Objects) **networkingv1beta1.PublicKey { return &o.PublicKey })
	collect(networks, self, connections.Items,
		func(o *liqo.Objects) **networkingv1beta1.Connection { return &o.Connection })
	return networks, nil
}

// collect adds each object to its network. It ignores objects without a remote cluster.
func collect[T any, P interface {
	*T
	client.Object
}](networks map[string]liqo.Objects, self owner.Owner, items []T, place func(*liqo.Objects) *P) {
	for i := range items {
		object := P(&items[i])
		id := cluster.RemoteID(object)
		if id == "" {
			continue
		}
		network := networks[id]
		taken := place(&network)
		switch {
		case *taken == nil:
			*taken = object
		case comesFirst(network, object, *taken, self):
			network.Extra = append(network.Extra, *taken)
			*taken = object
		default:
			network.Extra = append(network.Extra, object)
		}
		networks[id] = network
	}
}

// comesFirst reports whether one object of a network takes precedence over another of its kind: the owner's, else the
// worse one of two Connections, else the older one, else the one whose name comes first.
func comesFirst(network liqo.Objects, one, other client.Object, self owner.Owner) bool {
	if self.Owns(one) != self.Owns(other) {
		return self.Owns(one)
	}
	age := one.GetCreationTimestamp().Compare(other.GetCreationTimestamp().Time)
	byName := cmp.Compare(client.ObjectKeyFromObject(one).String(), client.ObjectKeyFromObject(other).String())
	return cmp.Or(network.CompareTunnels(one, other), age, byName) < 0
}

// owned returns the objects that the owner may remove: its own, and those without an owner. It includes the extra
// objects, but no Connection.
func owned(o liqo.Objects, self owner.Owner) []client.Object {
	return slices.DeleteFunc(o.Written(), func(object client.Object) bool { return !self.MayRemove(object) })
}

// others returns the objects that the owner may not remove, without Connections.
func others(o liqo.Objects, self owner.Owner) []client.Object {
	return slices.DeleteFunc(o.Written(), self.MayRemove)
}

// BelongsTo reports whether the owner has any of the objects.
func BelongsTo(o liqo.Objects, self owner.Owner) bool {
	return slices.ContainsFunc(append(o.Made(), o.Extra...), self.Owns)
}
