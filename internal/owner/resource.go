package owner

import (
	"cmp"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Resource is the type of a Terraform resource that owns one object at one end of a network.
type Resource string

// The values of [Resource].
const (
	ConfigurationResource Resource = "liqo_configuration"
	GatewayServerResource Resource = "liqo_gateway_server"
	GatewayClientResource Resource = "liqo_gateway_client"
	PublicKeyResource     Resource = "liqo_public_key"
)

// resourceAnnotation is on the objects of such resources. It is the [Resource] that owns the object.
const resourceAnnotation = ManagedBy + "/resource"

// mark records the type of an object's owner. A shortcut has none.
func (r Resource) mark(object client.Object) {
	if r == "" {
		cluster.RemoveAnnotation(object, resourceAnnotation)
	} else {
		cluster.SetAnnotation(object, resourceAnnotation, string(r))
	}
}

// ResourceOf returns the type of the resource that owns an object. It is empty for a shortcut.
func ResourceOf(object client.Object) Resource {
	return Resource(object.GetAnnotations()[resourceAnnotation])
}

// String returns the name of the type.
func (r Resource) String() string { return cmp.Or(string(r), "liqo_shortcut") }

// IsEndObject reports whether a resource for one end owns an object.
func IsEndObject(object client.Object) bool {
	return Managed(object) && TokenOf(object) != "" && ResourceOf(object) != ""
}

// Manages reports whether a resource of this type owns objects of this kind. A leaf has one gateway for another
// cluster, so both types of gateways count as one kind. A gateway comes with the rules of what may cross.
func (r Resource) Manages(object client.Object) bool {
	switch object.(type) {
	case *networkingv1beta1.Configuration:
		return r == ConfigurationResource
	case *networkingv1beta1.GatewayServer, *networkingv1beta1.GatewayClient, *networkingv1beta1.FirewallConfiguration:
		return r == GatewayServerResource || r == GatewayClientResource
	case *networkingv1beta1.PublicKey:
		return r == PublicKeyResource
	default:
		return false
	}
}
