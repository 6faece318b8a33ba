package end

import (
	"context"
	"slices"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Objects are what one leaf holds of its network with one other cluster, in any namespace. What does not exist is nil.
type Objects struct {
	Configuration *networkingv1beta1.Configuration
	GatewayServer *networkingv1beta1.GatewayServer
	GatewayClient *networkingv1beta1.GatewayClient
	PublicKey     *networkingv1beta1.PublicKey
	Connection    *networkingv1beta1.Connection

	// SilentSince is when the gateway last reported the tunnel as up, if it should have reported again by now; zero
	// otherwise.
	SilentSince time.Time

	// Extra are further objects of these kinds. Liqo can't cope with two of a kind: somebody made another network of
	// the pair, in another namespace.
	Extra []client.Object
}

// Find reads the leaf's cache. Of several objects of a kind, it takes the owner's.
func (e *End) Find(ctx context.Context) (Objects, error) {
	id := string(e.Remote.ID)
	networks, err := readNetworks(ctx, e.Leaf, client.MatchingLabels{consts.RemoteClusterID: id}, e.Owner)
	return networks[id], err
}

// Networks is what a leaf's cache holds of all its networks, by the ID of the other cluster. Of several objects of a
// kind, it takes the owner's.
func Networks(ctx context.Context, leaf *cluster.Leaf, owner Owner) (map[string]Objects, error) {
	return readNetworks(ctx, leaf, &client.ListOptions{}, owner)
}

// readNetworks reads what a leaf's cache holds, keyed by the ID of the other cluster. Each kind is read once, however
// many networks there are. Of several objects of a kind, one that is the owner's comes first, then the older one. Only
// a tunnel on which nobody seems to report makes it ask the leaf.
func readNetworks(
	ctx context.Context, leaf *cluster.Leaf, which client.ListOption, owner Owner,
) (map[string]Objects, error) {
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
	networks := map[string]Objects{}
	collect(networks, owner, configurations.Items, func(o *Objects) **networkingv1beta1.Configuration { return &o.Configuration })
	collect(networks, owner, servers.Items, func(o *Objects) **networkingv1beta1.GatewayServer { return &o.GatewayServer })
	collect(networks, owner, clients.Items, func(o *Objects) **networkingv1beta1.GatewayClient { return &o.GatewayClient })
	collect(networks, owner, publicKeys.Items, func(o *Objects) **networkingv1beta1.PublicKey { return &o.PublicKey })
	collect(networks, owner, connections.Items, func(o *Objects) **networkingv1beta1.Connection { return &o.Connection })
	for id, network := range networks {
		var err error
		if network.SilentSince, err = silentSince(ctx, leaf, network); err != nil {
			return nil, err
		}
		networks[id] = network
	}
	return networks, nil
}

// collect puts each object to the others of its network. What belongs to no remote cluster is no part of one.
func collect[T any, P interface {
	*T
	client.Object
}](networks map[string]Objects, owner Owner, items []T, place func(*Objects) *P) {
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
		case comesFirst(object, *taken, owner):
			network.Extra = append(network.Extra, *taken)
			*taken = object
		default:
			network.Extra = append(network.Extra, object)
		}
		networks[id] = network
	}
}

// comesFirst reports whether one object is taken rather than another of its kind: the owner's, else the older one, else
// the one whose name comes first.
func comesFirst(one, other client.Object, owner Owner) bool {
	if owner.Owns(one) != owner.Owns(other) {
		return owner.Owns(one)
	}
	age := one.GetCreationTimestamp().Compare(other.GetCreationTimestamp().Time)
	return age < 0 || (age == 0 && client.ObjectKeyFromObject(one).String() < client.ObjectKeyFromObject(other).String())
}

// all lists the objects that exist, in the order in which they are made.
func (o Objects) all() []client.Object {
	var all []client.Object
	if o.Configuration != nil {
		all = append(all, o.Configuration)
	}
	if o.GatewayServer != nil {
		all = append(all, o.GatewayServer)
	}
	if o.GatewayClient != nil {
		all = append(all, o.GatewayClient)
	}
	if o.PublicKey != nil {
		all = append(all, o.PublicKey)
	}
	if o.Connection != nil {
		all = append(all, o.Connection)
	}
	return all
}

// Made lists the objects that somebody wrote, as against the Connection, which the gateway itself makes.
func (o Objects) Made() []client.Object {
	o.Connection = nil
	return o.all()
}

// owned lists, of those that somebody wrote, what the owner may remove: its own, and what belongs to nobody. Further
// objects of a kind are among them.
func (o Objects) owned(owner Owner) []client.Object {
	return slices.DeleteFunc(o.written(), func(object client.Object) bool { return !owner.MayRemove(object) })
}

// others lists, of what somebody wrote, what the owner may not remove.
func (o Objects) others(owner Owner) []client.Object {
	return slices.DeleteFunc(o.written(), owner.MayRemove)
}

// written lists all that somebody wrote, further objects of a kind among them.
func (o Objects) written() []client.Object {
	return slices.DeleteFunc(append(o.Made(), o.Extra...), func(object client.Object) bool {
		_, reported := object.(*networkingv1beta1.Connection)
		return reported
	})
}

// BelongsTo reports whether the owner has any of the objects.
func (o Objects) BelongsTo(owner Owner) bool {
	return slices.ContainsFunc(append(o.Made(), o.Extra...), owner.Owns)
}

// Namespace is where the objects are; empty if there is none.
func (o Objects) Namespace() string {
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

// Leaving reports whether somebody has deleted an object that is still there.
func Leaving(object client.Object) bool { return !object.GetDeletionTimestamp().IsZero() }
