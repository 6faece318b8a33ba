package end

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Liqo renders a gateway's template into an object of the gateway's technology. From that object, it creates the
// gateway's Deployment and, for a server, its Service. If the gateway changes, Liqo renders the template again and
// changes the rest in place, but reports no generation in any status. So the provider renders the template, too, to
// know what the objects will be.

// technology refers to the object of a gateway's technology, from the gateway's status. It is nil before Liqo has
// created the object.
type technology struct{ *corev1.ObjectReference }

// isWireGuard reports whether it is that of WireGuard. Of others, nobody knows what a change does.
func (t technology) isWireGuard() bool {
	return t.Kind == networkingv1beta1.WgGatewayServerKind || t.Kind == networkingv1beta1.WgGatewayClientKind
}

// canRestart reports whether the gateway with this reference in its status can get new keys by a restart. Of a
// technology that is not WireGuard, nobody knows.
func canRestart(reference *corev1.ObjectReference) bool {
	return reference == nil || technology{reference}.isWireGuard()
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
		!equality.Semantic.DeepEqual(pods.Spec.Affinity, others.Spec.Affinity) ||
		!slices.EqualFunc(pods.Spec.Containers, others.Spec.Containers, func(one, other corev1.Container) bool {
			return equality.Semantic.DeepEqual(one.Resources, other.Resources)
		})
}

// untilParts waits until done returns true for the parts that the object of a technology has. They are empty while
// there is no such object.
func (e *End) untilParts(ctx context.Context, reference technology, done func(parts) bool) error {
	meta := metav1.ObjectMeta{Namespace: reference.Namespace, Name: reference.Name}
	if reference.Kind == networkingv1beta1.WgGatewayServerKind {
		server := &networkingv1beta1.WgGatewayServer{ObjectMeta: meta}
		return e.Leaf.UntilObject(ctx, server, func(exists bool) bool {
			if !exists {
				return done(parts{})
			}
			return done(parts{server.Spec.Deployment, server.Spec.Service})
		})
	}
	dialling := &networkingv1beta1.WgGatewayClient{ObjectMeta: meta}
	return e.Leaf.UntilObject(ctx, dialling, func(exists bool) bool {
		if !exists {
			return done(parts{})
		}
		return done(parts{Deployment: dialling.Spec.Deployment})
	})
}
