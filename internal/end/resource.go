package end

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Resource is the type of a Terraform resource that owns one object at one end. Together, such objects are
// a half of a shortcut.
type Resource string

// The values of [Resource].
const (
	ConfigurationResource Resource = "liqo_configuration"
	GatewayServerResource Resource = "liqo_gateway_server"
	GatewayClientResource Resource = "liqo_gateway_client"
	PublicKeyResource     Resource = "liqo_public_key"
)

// resourceAnnotation is on the objects of a half. It is the [Resource] that owns the object.
const resourceAnnotation = ManagedBy + "/resource"

// mark records the type of an object's owner. A shortcut has none.
func (r Resource) mark(object client.Object) {
	if r == "" {
		removeAnnotation(object, resourceAnnotation)
	} else {
		setAnnotation(object, resourceAnnotation, string(r))
	}
}

func resourceOf(object client.Object) Resource {
	return Resource(object.GetAnnotations()[resourceAnnotation])
}

// ResourceOf returns the type of the resource that owns an object of this provider, for messages.
func ResourceOf(object client.Object) string {
	return cmp.Or(string(resourceOf(object)), "liqo_shortcut")
}

// keepOrigin keeps the origin of an existing object of the half when it is written again.
func (o Owner) keepOrigin(object, existing client.Object) {
	if origin := existing.GetAnnotations()[originAnnotation]; o.Resource != "" && o.Marked(existing) && origin != "" {
		setAnnotation(object, originAnnotation, origin)
	}
}

// IsHalf reports whether a resource for one end owns an object.
func IsHalf(object client.Object) bool {
	return managed(object) && TokenOf(object) != "" && resourceOf(object) != ""
}

// claimsHalf reports whether an object is a part of a half that this owner, an imported shortcut, claims.
func (o Owner) claimsHalf(object client.Object) bool {
	return o.Claims && o.Resource == "" && IsHalf(object)
}

// Manages reports whether a resource of this type owns objects of this kind. A leaf has one gateway for
// another cluster, so both types of gateways count as one kind.
func (r Resource) Manages(object client.Object) bool {
	switch object.(type) {
	case *networkingv1beta1.Configuration:
		return r == ConfigurationResource
	case *networkingv1beta1.GatewayServer, *networkingv1beta1.GatewayClient:
		return r == GatewayServerResource || r == GatewayClientResource
	case *networkingv1beta1.PublicKey:
		return r == PublicKeyResource
	default:
		return false
	}
}

// Of returns the object that a resource of this type manages, or nil if there is none.
func (o Objects) Of(resource Resource) client.Object {
	switch {
	case resource == ConfigurationResource && o.Configuration != nil:
		return o.Configuration
	case resource == GatewayServerResource && o.GatewayServer != nil:
		return o.GatewayServer
	case resource == GatewayClientResource && o.GatewayClient != nil:
		return o.GatewayClient
	case resource == PublicKeyResource && o.PublicKey != nil:
		return o.PublicKey
	default:
		return nil
	}
}

// HasHalfGateway reports whether there is a gateway, and a resource for one end owns it.
func (o Objects) HasHalfGateway() bool {
	gateway := o.Gateway()
	return gateway != nil && IsHalf(gateway)
}

// WhoseHalf returns whose an object is for a resource of one end. An object that a create of the same type of resource
// has left behind has no owner. The caller holds the lease of the object, which lists such creates, and has the turn on
// this leaf.
func (e *End) WhoseHalf(object client.Object, unfinished Unfinished) Whose {
	whose, token := e.Owner.Of(object), TokenOf(object)
	abandoned := resourceOf(object) == e.Owner.Resource && unfinished.AbandonedTo(e.Owner, token)
	if whose == Another && abandoned && recordOn(object).Owner != token {
		return Nobodys
	}
	return whose
}

// IsEmpty reports whether this leaf has no object of the network that someone has created. It reads live,
// because another process may just have removed the last one.
func (e *End) IsEmpty(ctx context.Context) (bool, error) {
	for _, list := range []client.ObjectList{
		&networkingv1beta1.ConfigurationList{}, &networkingv1beta1.GatewayServerList{},
		&networkingv1beta1.GatewayClientList{}, &networkingv1beta1.PublicKeyList{},
	} {
		remote := client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)}
		if err := e.Leaf.Live.List(ctx, list, remote); err != nil {
			return false, e.Leaf.Explain(err)
		}
		if meta.LenList(list) > 0 {
			return false, nil
		}
	}
	return true, e.until(ctx, "the other objects of the network to be gone", func(left Objects) bool {
		return len(left.written()) == 0
	}, &networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{})
}
