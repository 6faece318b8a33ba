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
	"k8s.io/apimachinery/pkg/api/meta"
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
	networks := map[string]liqo.Objects{}
	for _, lists := range [][]client.ObjectList{
		{&networkingv1beta1.ConfigurationList{}},
		{&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{}}, // before their Connections
		{&networkingv1beta1.PublicKeyList{}}, {&networkingv1beta1.ConnectionList{}},
	} {
		objects, err := leaf.AllCached(ctx, lists, which)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(objects, func(one, other client.Object) int {
			id := cluster.RemoteID(one)
			if byID := cmp.Compare(id, cluster.RemoteID(other)); byID != 0 {
				return byID
			}
			return compare(networks[id], one, other, self)
		})
		for _, object := range objects {
			if id := cluster.RemoteID(object); id != "" {
				network := networks[id]
				network.Add(object)
				networks[id] = network
			}
		}
	}
	return networks, nil
}

// compare puts that one of two objects of a kind first which takes precedence: the owner's, else the worse one of two
// Connections, else the older one, else the one whose name comes first.
func compare(network liqo.Objects, one, other client.Object, self owner.Owner) int {
	if self.Owns(one) != self.Owns(other) {
		if self.Owns(one) {
			return -1
		}
		return 1
	}
	age := one.GetCreationTimestamp().Compare(other.GetCreationTimestamp().Time)
	byName := cmp.Compare(client.ObjectKeyFromObject(one).String(), client.ObjectKeyFromObject(other).String())
	return cmp.Or(network.CompareTunnels(one, other), age, byName)
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

// roles are those of the gateways that resources of these types manage.
var roles = map[owner.Resource]liqo.GatewayRole{
	owner.GatewayServerResource: liqo.ServerRole, owner.GatewayClientResource: liqo.ClientRole,
}

// ObjectOf returns the object that a resource of this type manages, or nil if there is none.
func ObjectOf(o liqo.Objects, resource owner.Resource) client.Object {
	switch {
	case resource == owner.ConfigurationResource && o.Configuration != nil:
		return o.Configuration
	case o.GatewayAs(roles[resource]) != nil:
		return o.Gateway.Object
	case resource == owner.PublicKeyResource && o.PublicKey != nil:
		return o.PublicKey
	default:
		return nil
	}
}

// IsEmpty reports whether this leaf has no object of the network that someone has created. It reads live, because
// another process may just have removed the last one.
func (e *End) IsEmpty(ctx context.Context) (bool, error) {
	for _, list := range liqo.WrittenLists() {
		remote := client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)}
		if err := e.Leaf.List(ctx, list, remote); err != nil {
			return false, err
		}
		if meta.LenList(list) > 0 {
			return false, nil
		}
	}
	return true, e.until(ctx, "the other objects of the network to be gone", func(left liqo.Objects) bool {
		return len(left.Written()) == 0
	}, &networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{})
}
