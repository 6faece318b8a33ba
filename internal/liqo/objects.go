package liqo

import (
	"context"
	"slices"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Objects are a leaf's objects of its network with one other cluster, in any namespace. A missing object is nil.
type Objects struct {
	Configuration *networkingv1beta1.Configuration
	Gateway       *Gateway
	PublicKey     *networkingv1beta1.PublicKey
	Connection    *networkingv1beta1.Connection            // the worst one of a gateway with several tunnels
	Firewall      *networkingv1beta1.FirewallConfiguration // of the limits; only gateways that name one have it

	// SilentSince is when the gateway last reported the tunnel as up, if its next report is overdue. Else it is zero. Only
	// what observes the objects knows it; see [Objects.ReadSilence].
	SilentSince time.Time

	// Extra are additional objects of these kinds. Liqo does not support two of a kind, except for [Objects.Tunnels].
	// They exist if someone created another network of the pair in another namespace.
	Extra []client.Object
}

// Add adds an object. Of a kind, the first one counts, and both kinds of gateways are one. Any other is extra.
func (o *Objects) Add(object client.Object) {
	switch object := object.(type) {
	case *networkingv1beta1.Configuration:
		if o.Configuration == nil {
			o.Configuration = object
			return
		}
	case *networkingv1beta1.PublicKey:
		if o.PublicKey == nil {
			o.PublicKey = object
			return
		}
	case *networkingv1beta1.Connection:
		if o.Connection == nil {
			o.Connection = object
			return
		}
	default:
		if o.Gateway == nil {
			o.Gateway = GatewayOf(object)
			return
		}
	}
	o.Extra = append(o.Extra, object)
}

// All returns the objects that exist, in the order of their creation, without the extra ones.
func (o Objects) All() []client.Object {
	var all []client.Object
	if o.Configuration != nil {
		all = append(all, o.Configuration)
	}
	if o.Gateway != nil {
		all = append(all, o.Gateway.Object)
	}
	if o.PublicKey != nil {
		all = append(all, o.PublicKey)
	}
	if o.Connection != nil {
		all = append(all, o.Connection)
	}
	if o.Firewall != nil {
		all = append(all, o.Firewall)
	}
	return all
}

// Tunnel returns the status of the tunnel that the leaf's gateway reports. It may be empty. It ignores a Connection of
// an earlier gateway. A Connection that the gateway has stopped renewing does not count as up.
func (o Objects) Tunnel() networkingv1beta1.ConnectionStatusValue {
	if o.Connection == nil || o.Gateway == nil || !OwnedBy(o.Connection, o.Gateway) {
		return ""
	}
	if !o.SilentSince.IsZero() {
		return networkingv1beta1.Connecting
	}
	return o.Connection.Status.Value
}

// Ignored returns the objects that Liqo's controllers have not reacted to.
func (o Objects) Ignored() []client.Object {
	var ignored []client.Object
	if o.Configuration != nil && !IsDecided(o.Configuration) {
		ignored = append(ignored, o.Configuration)
	}
	if o.Gateway != nil && o.Gateway.Made == nil {
		ignored = append(ignored, o.Gateway.Object)
	}
	return ignored
}

// Keys returns the Secret with the keys of the leaf's gateway, or nil if Liqo reports none.
func (o Objects) Keys() *corev1.ObjectReference {
	if o.Gateway == nil {
		return nil
	}
	return o.Gateway.Keys
}

// Handled returns the leaf's gateway. It returns nil if there is none, or if Liqo has not reacted to it.
func (o Objects) Handled() *Gateway {
	if o.Gateway == nil || o.Gateway.Made == nil {
		return nil
	}
	return o.Gateway
}

// IsInPlace reports whether this end of the tunnel has everything that it needs to reach the other end.
func (o Objects) IsInPlace() bool {
	hasEndpoint := o.Endpoint() != nil || o.Dialled() != nil
	return o.Handled() != nil && hasEndpoint && o.PublicKey != nil && o.Connection != nil
}

// WrittenLists returns an empty list of each kind that someone writes to make a network. A gateway itself writes its
// Connection.
func WrittenLists() []client.ObjectList {
	return []client.ObjectList{
		&networkingv1beta1.ConfigurationList{}, &networkingv1beta1.GatewayServerList{},
		&networkingv1beta1.GatewayClientList{}, &networkingv1beta1.PublicKeyList{},
	}
}

// CatchUp waits until the leaf's cache has the objects of a network with a remote cluster as the API server has them
// now, and none that is gone. Connections may be late.
func CatchUp(ctx context.Context, leaf *cluster.Leaf, remote liqov1beta1.ClusterID) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, list := range WrittenLists() {
		group.Go(func() error { return leaf.CatchUp(ctx, list, remote) })
	}
	return group.Wait()
}

// OwnedBy reports whether an object has another one as an owner.
func OwnedBy(object, owner client.Object) bool {
	for _, reference := range object.GetOwnerReferences() {
		if reference.UID == owner.GetUID() {
			return true
		}
	}
	return false
}

// Made returns all objects except the Connection, which the gateway itself creates.
func (o Objects) Made() []client.Object {
	o.Connection = nil
	return o.All()
}

// Written returns all objects except Connections. It includes the extra objects.
func (o Objects) Written() []client.Object {
	return slices.DeleteFunc(append(o.Made(), o.Extra...), func(object client.Object) bool {
		_, reported := object.(*networkingv1beta1.Connection)
		return reported
	})
}

// Namespace returns the namespace of the objects, or an empty string if there are none.
func (o Objects) Namespace() string {
	for _, object := range o.All() {
		return object.GetNamespace()
	}
	return ""
}
