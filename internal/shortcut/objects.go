package shortcut

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// objects are what one leaf holds of its network with one other cluster, in any namespace. What does not exist is nil.
type objects struct {
	configuration *networkingv1beta1.Configuration
	server        *networkingv1beta1.GatewayServer
	client        *networkingv1beta1.GatewayClient
	publicKey     *networkingv1beta1.PublicKey
	connection    *networkingv1beta1.Connection

	// extra are further objects of these kinds. Liqo can't cope with two of a kind: somebody made another network of the pair, in another namespace.
	extra []client.Object
}

// find reads the leaf's cache. Of several objects of a kind, it takes the owner's.
func (s *side) find(ctx context.Context) (objects, error) {
	networks, err := readNetworks(ctx, s.leaf, client.MatchingLabels{consts.RemoteClusterID: string(s.remote.ID)}, s.owner)
	return networks[string(s.remote.ID)], err
}

// networksOf is what a leaf's cache holds of all its networks, by the ID of the other cluster. Of several objects of a kind, it takes the owner's.
func networksOf(ctx context.Context, leaf *cluster.Leaf, owner Owner) (map[string]objects, error) {
	return readNetworks(ctx, leaf, &client.ListOptions{}, owner)
}

// readNetworks reads what a leaf's cache holds, keyed by the ID of the other cluster. Each kind is read once, however many networks there are. Of several objects of
// a kind, one that is the owner's comes first, then the older one.
func readNetworks(ctx context.Context, leaf *cluster.Leaf, which client.ListOption, owner Owner) (map[string]objects, error) {
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
	networks := map[string]objects{}
	collect(networks, owner, configurations.Items, func(o *objects) **networkingv1beta1.Configuration { return &o.configuration })
	collect(networks, owner, servers.Items, func(o *objects) **networkingv1beta1.GatewayServer { return &o.server })
	collect(networks, owner, clients.Items, func(o *objects) **networkingv1beta1.GatewayClient { return &o.client })
	collect(networks, owner, publicKeys.Items, func(o *objects) **networkingv1beta1.PublicKey { return &o.publicKey })
	collect(networks, owner, connections.Items, func(o *objects) **networkingv1beta1.Connection { return &o.connection })
	return networks, nil
}

// collect puts each object to the others of its network. What belongs to no remote cluster is no part of one.
func collect[T any, P interface {
	*T
	client.Object
}](networks map[string]objects, owner Owner, items []T, place func(*objects) *P) {
	for i := range items {
		object := P(&items[i])
		id := cluster.RemoteID(object)
		if id == "" {
			continue
		}
		network := networks[id]
		kept := place(&network)
		switch {
		case *kept == nil:
			*kept = object
		case comesFirst(object, *kept, owner):
			network.extra = append(network.extra, *kept)
			*kept = object
		default:
			network.extra = append(network.extra, object)
		}
		networks[id] = network
	}
}

// comesFirst reports whether one object is taken rather than another of its kind: the owner's, else the older one, else the one whose name comes first.
func comesFirst(one, other client.Object, owner Owner) bool {
	if owner.owns(one) != owner.owns(other) {
		return owner.owns(one)
	}
	age := one.GetCreationTimestamp().Compare(other.GetCreationTimestamp().Time)
	return age < 0 || (age == 0 && client.ObjectKeyFromObject(one).String() < client.ObjectKeyFromObject(other).String())
}

// all lists the objects that exist, in the order in which they are made.
func (o objects) all() []client.Object {
	var all []client.Object
	if o.configuration != nil {
		all = append(all, o.configuration)
	}
	if o.server != nil {
		all = append(all, o.server)
	}
	if o.client != nil {
		all = append(all, o.client)
	}
	if o.publicKey != nil {
		all = append(all, o.publicKey)
	}
	if o.connection != nil {
		all = append(all, o.connection)
	}
	return all
}

// made lists the objects that somebody wrote, as against the Connection, which the gateway itself makes.
func (o objects) made() []client.Object {
	o.connection = nil
	return o.all()
}

// owned lists, of those that somebody wrote, what the owner may remove: its own, and what belongs to nobody. Further objects of a kind are among them.
func (o objects) owned(owner Owner) []client.Object {
	return slices.DeleteFunc(o.written(), func(object client.Object) bool { return !owner.mayRemove(object) })
}

// others lists, of what somebody wrote, what the owner may not remove.
func (o objects) others(owner Owner) []client.Object {
	return slices.DeleteFunc(o.written(), owner.mayRemove)
}

// written lists all that somebody wrote, further objects of a kind among them.
func (o objects) written() []client.Object {
	return slices.DeleteFunc(append(o.made(), o.extra...), func(object client.Object) bool {
		_, reported := object.(*networkingv1beta1.Connection)
		return reported
	})
}

// ours reports whether the owner has any of the objects.
func (o objects) ours(owner Owner) bool {
	return slices.ContainsFunc(append(o.made(), o.extra...), owner.owns)
}

// namespace is where the objects are; empty if there is none.
func (o objects) namespace() string {
	for _, object := range o.all() {
		return object.GetNamespace()
	}
	return ""
}

func ownedBy(object, owner client.Object) bool {
	for _, reference := range object.GetOwnerReferences() {
		if reference.UID == owner.GetUID() {
			return true
		}
	}
	return false
}

func leaving(object client.Object) bool { return !object.GetDeletionTimestamp().IsZero() }
