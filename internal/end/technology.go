package end

import (
	"context"
	"fmt"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Liqo renders a gateway's template into an object of the gateway's technology. From that object, it creates the
// gateway's Deployment and, for a server, its Service. If the gateway changes, Liqo renders the template again and
// changes the rest in place, but reports no generation in any status. So the provider renders the template, too, to
// know what the objects will be.

// wireGuard are the kinds of WireGuard's templates, and of what Liqo makes of them.
var wireGuard = []string{
	networkingv1beta1.WgGatewayServerTemplateKind, networkingv1beta1.WgGatewayServerKind,
	networkingv1beta1.WgGatewayClientTemplateKind, networkingv1beta1.WgGatewayClientKind,
}

// isWireGuard reports whether a template, or the object of a gateway's technology, is WireGuard's. Of other
// technologies, nobody knows what a change does.
func isWireGuard(reference corev1.ObjectReference) bool {
	return slices.Contains(wireGuard, reference.Kind)
}

// checkTechnology fails if a gateway would be changed in place, and is not WireGuard's. It is for a
// change of either gateway of a pair, and a client may have to follow any change of the server. Without a namespace,
// the gateway is to be in the tenant namespace.
func (e *End) checkTechnology(ctx context.Context, intent Intent) error {
	objects, err := e.Find(ctx)
	existing := objects.Gateway
	if err != nil || changesInPlace(existing) {
		return err
	}
	namespace, settings := *intent.Namespace, *intent.Gateway
	if namespace == "" {
		stays, err := e.IsTenantNamespace(ctx, existing.GetNamespace())
		if err != nil || !stays {
			return err
		}
		namespace = existing.GetNamespace()
	}
	if replaces, err := e.replacesGateway(ctx, existing, namespace, settings); err != nil || replaces {
		return err
	}
	changes, err := e.ChangesGateway(ctx, settings)
	if follows := settings.Role == liqo.ClientRole; err != nil || !changes && !follows {
		return err
	}
	return e.unchangeable(existing)
}

// changesInPlace reports whether this package can change a gateway. It can if there is none, or if Liqo has not seen it
// yet.
func changesInPlace(gateway *liqo.Gateway) bool {
	return gateway == nil || gateway.Made == nil || isWireGuard(*gateway.Made)
}

// unchangeable says that a gateway can't be changed because of its technology.
func (e *End) unchangeable(gateway *liqo.Gateway) error {
	return &trouble.Problem{
		ID: "technology-unchangeable", Leaf: e.Leaf.Name,
		Summary: "changes are not supported for the technology of this gateway",
		Advice: fmt.Sprintf("Liqo has made the %s of %s. It is not WireGuard's, so the provider can't tell what a change "+
			"would do. Take the change back. Or make the gateway anew: `terraform taint ADDRESS`, with the address of this "+
			"resource, lets the next apply do that.", gateway.Made.Kind, e.Leaf.Describe(gateway.Object)),
	}
}

// parts are what the object of a technology says about a gateway's Deployment and Service. The latter is empty for a
// client.
type parts struct {
	Deployment networkingv1beta1.DeploymentTemplate `json:"deployment"`
	Service    networkingv1beta1.ServiceTemplate    `json:"service"`
}

// carry reports whether these parts say all that the wanted ones say. They must not have an annotation, a label, an
// address or a node port of the Service that is no longer wanted.
func (p parts) carry(desired parts) bool {
	return cluster.Includes(p, desired) &&
		len(p.Service.Metadata.Annotations) == len(desired.Service.Metadata.Annotations) &&
		len(p.Service.Metadata.Labels) == len(desired.Service.Metadata.Labels) &&
		!p.exceeds(desired) && p.Service.Spec.LoadBalancerIP == desired.Service.Spec.LoadBalancerIP &&
		slices.EqualFunc(p.Service.Spec.Ports, desired.Service.Spec.Ports, haveSameNodePort)
}

func haveSameNodePort(one, other corev1.ServicePort) bool { return one.NodePort == other.NodePort }

// restartFor reports whether the gateway's pods restart if these parts become the wanted ones.
func (p parts) restartFor(desired parts) bool {
	return !cluster.Includes(p.Deployment.Spec.Template, desired.Deployment.Spec.Template) || p.exceeds(desired)
}

// exceeds reports whether the pods have something that they no longer have by the wanted parts, of what
// [liqo.PodSettings] can add.
func (p parts) exceeds(desired parts) bool {
	pods, others := p.Deployment.Spec.Template, desired.Deployment.Spec.Template
	return len(pods.Labels) != len(others.Labels) || len(pods.Annotations) != len(others.Annotations) ||
		len(pods.Spec.NodeSelector) != len(others.Spec.NodeSelector) ||
		len(pods.Spec.Tolerations) != len(others.Spec.Tolerations) ||
		pods.Spec.PriorityClassName != others.Spec.PriorityClassName ||
		!equality.Semantic.DeepEqual(pods.Spec.TopologySpreadConstraints, others.Spec.TopologySpreadConstraints) ||
		!slices.EqualFunc(pods.Spec.Containers, others.Spec.Containers, func(one, other corev1.Container) bool {
			return equality.Semantic.DeepEqual(one.Resources, other.Resources)
		})
}

// untilParts waits until done returns true for the parts that the object of a technology has. They are empty while
// there is no such object.
func (e *End) untilParts(ctx context.Context, reference corev1.ObjectReference, done func(parts) bool) error {
	meta := metav1.ObjectMeta{Namespace: reference.Namespace, Name: reference.Name}
	server := networkingv1beta1.WgGatewayServer{ObjectMeta: meta}
	dialling := networkingv1beta1.WgGatewayClient{ObjectMeta: meta}
	object := client.Object(&dialling)
	if reference.Kind == networkingv1beta1.WgGatewayServerKind {
		object = &server
	}
	return e.Leaf.UntilObject(ctx, object, func(exists bool) bool {
		switch {
		case !exists:
			return done(parts{})
		case object == &server:
			return done(parts{server.Spec.Deployment, server.Spec.Service})
		default:
			return done(parts{Deployment: dialling.Spec.Deployment})
		}
	})
}
