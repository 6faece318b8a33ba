package cluster

import (
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Objects are a leaf's objects of its network with one other cluster, in any namespace. A missing
// object is nil.
type Objects struct {
	Configuration *networkingv1beta1.Configuration
	GatewayServer *networkingv1beta1.GatewayServer
	GatewayClient *networkingv1beta1.GatewayClient
	PublicKey     *networkingv1beta1.PublicKey
	Connection    *networkingv1beta1.Connection

	// SilentSince is when the gateway last reported the tunnel as up, if its next report is overdue. Else
	// it is zero. Only what observes the objects knows it; see [Leaf.SilentSince].
	SilentSince time.Time

	// Extra are additional objects of these kinds. Liqo does not support two of a kind. They exist if
	// someone created another network of the pair in another namespace.
	Extra []client.Object
}

// All returns the objects that exist, in the order of their creation, without the extra ones.
func (o Objects) All() []client.Object {
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

// Gateway returns the leaf's gateway, or nil.
func (o Objects) Gateway() client.Object {
	switch {
	case o.GatewayServer != nil:
		return o.GatewayServer
	case o.GatewayClient != nil:
		return o.GatewayClient
	default:
		return nil
	}
}

// EndpointStatus returns the endpoint that the gateway server reports, or nil if nobody can dial it yet.
// Liqo reports an empty address while a node has none.
func (o Objects) EndpointStatus() *networkingv1beta1.EndpointStatus {
	if o.GatewayServer == nil || o.GatewayServer.Status.Endpoint == nil {
		return nil
	}
	endpoint := o.GatewayServer.Status.Endpoint
	if endpoint.Port == 0 || len(endpoint.Addresses) == 0 || endpoint.Addresses[0] == "" {
		return nil
	}
	return endpoint
}

// ConnectionStatus returns the status of the tunnel that this gateway reports. It ignores a Connection of
// an earlier gateway. A Connection that the gateway has stopped renewing does not count as up.
func (o Objects) ConnectionStatus(gateway client.Object) networkingv1beta1.ConnectionStatusValue {
	if o.Connection == nil || !OwnedBy(o.Connection, gateway) {
		return ""
	}
	if !o.SilentSince.IsZero() {
		return networkingv1beta1.Connecting
	}
	return o.Connection.Status.Value
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
