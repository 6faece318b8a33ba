package liqo

import (
	"context"
	"reflect"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// DefaultMTU is the default MTU of a tunnel, in bytes, as in liqoctl.
const DefaultMTU = forge.DefaultMTU

// GatewayRole is the role of a gateway in its tunnel.
type GatewayRole string

// The values of [GatewayRole].
const (
	ServerRole GatewayRole = "server"
	ClientRole GatewayRole = "client"
)

// Other returns the role of the gateway at the other end.
func (r GatewayRole) Other() GatewayRole {
	if r == ServerRole {
		return ClientRole
	}
	return ServerRole
}

// Gateway is a gateway of either role. What has no role needs no other look at its object. The pointers lead into that.
type Gateway struct {
	client.Object // a GatewayServer or a GatewayClient of Liqo's API

	Role     GatewayRole
	Spec     any // all of it
	MTU      *int
	Template *corev1.ObjectReference
	Secret   *corev1.LocalObjectReference      // with keys of the user's; its name is empty if there is none
	Endpoint *networkingv1beta1.EndpointStatus // what a client dials, or where a server says that it is; may be nil
	Made     *corev1.ObjectReference           // the object that Liqo renders from the template; nil until then
	Keys     *corev1.ObjectReference           // the Secret that the gateway uses; nil until Liqo reports it

	Server *networkingv1beta1.GatewayServer // the object of a server, for what a client has not; else nil
}

// GatewayOf returns an object as a gateway, or nil if it is none.
func GatewayOf(object client.Object) *Gateway {
	switch object := object.(type) {
	case *networkingv1beta1.GatewayServer:
		spec, status := &object.Spec, &object.Status
		return &Gateway{
			object, ServerRole, spec, &spec.MTU, &spec.ServerTemplateRef, &spec.SecretRef, status.Endpoint, status.ServerRef,
			status.SecretRef, object,
		}
	case *networkingv1beta1.GatewayClient:
		spec, status := &object.Spec, &object.Status
		return &Gateway{
			object, ClientRole, spec, &spec.MTU, &spec.ClientTemplateRef, &spec.SecretRef, &spec.Endpoint, status.ClientRef,
			status.SecretRef, nil,
		}
	default:
		return nil
	}
}

// GatewaysOf returns the gateways in a leaf's cache that the options select.
func GatewaysOf(ctx context.Context, leaf *cluster.Leaf, options ...client.ListOption) ([]*Gateway, error) {
	objects, err := leaf.AllCached(ctx, []client.ObjectList{
		&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{},
	}, options...)
	gateways := make([]*Gateway, len(objects))
	for i, object := range objects {
		gateways[i] = GatewayOf(object)
	}
	return gateways, err
}

// UserSecret returns the user's Secret with the keys of the gateway. Its name is empty if there is none.
func (g *Gateway) UserSecret() KeySecret {
	if g == nil {
		return KeySecret{}
	}
	return UserSecret(g, g.Secret.Name)
}

// UserSecret returns the Secret that the user set for a gateway in the namespace of this object. It is empty for an
// empty name.
func UserSecret(gateway client.Object, name string) KeySecret {
	if name == "" {
		return KeySecret{}
	}
	return KeySecret{Namespace: gateway.GetNamespace(), Name: name}
}

// Copy returns a copy that is independent of the gateway.
func (g *Gateway) Copy() *Gateway {
	return GatewayOf(g.DeepCopyObject().(client.Object)) //nolint:errcheck,forcetypeassert // a copy has its type
}

// SetSpec gives the gateway the spec of another one of its role.
func (g *Gateway) SetSpec(other *Gateway) {
	reflect.ValueOf(g.Spec).Elem().Set(reflect.ValueOf(other.Spec).Elem())
}

// GatewayAs returns the leaf's gateway if it has this role, and nil otherwise.
func (o Objects) GatewayAs(role GatewayRole) *Gateway {
	if o.Gateway == nil || o.Gateway.Role != role {
		return nil
	}
	return o.Gateway
}

// TunnelSettings are the settings that the two gateways of a network have in common.
type TunnelSettings struct {
	MTU         int    `tfsdk:"mtu"`                  // of the tunnel, in bytes
	KeyRotation string `tfsdk:"key_rotation_trigger"` // another value gives a gateway new keys; empty keeps them
	Limited     bool   // what may cross is limited by a FirewallConfiguration at each end
}

// TunnelSettings returns those of the leaf's gateway. They are empty if there is none.
func (o Objects) TunnelSettings() TunnelSettings {
	if o.Gateway == nil {
		return TunnelSettings{}
	}
	annotations := o.Gateway.GetAnnotations()
	return TunnelSettings{
		MTU: *o.Gateway.MTU, KeyRotation: annotations[RotationAnnotation], Limited: annotations[LimitsAnnotation] != "",
	}
}

// GatewayPod is a pod of a gateway.
type GatewayPod struct {
	Name, Namespace string
	Node            string // empty until it is scheduled
	Active          bool   // this replica holds the tunnel
	Ready           bool
	ActiveSince     time.Time // zero if it is not active
}

// RotationAnnotation has the value of the last rotation. A rotation writes it to the Secret together with the new keys,
// and to the gateway, which has restarted since or is about to. If only the Secret has it, the rotation was
// interrupted, and continues with the keys that are there.
const RotationAnnotation = cluster.FieldManager + "/key-rotation"

// KeySecret is the name of a Secret of the user with the keys of a gateway. An empty name means that there is none. An
// empty namespace means the tenant namespace.
type KeySecret struct{ Namespace, Name string }
