package end

import (
	"context"
	"maps"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// changeService waits until the Service of a gateway is as the gateway's technology wants it. Then it removes the
// annotations and labels of the gateway's earlier settings that are no longer wanted, if Liqo has not done it yet.
// Those of the cloud and of others stay. It returns the Service.
func (e *End) changeService(
	ctx context.Context, earlier *networkingv1beta1.GatewayServer, desired networkingv1beta1.ServiceTemplate,
) (*corev1.Service, error) {
	name := liqo.MadeForGateway(earlier)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	err := e.Leaf.UntilObject(ctx, service, func(exists bool) bool {
		return exists && cluster.Includes(service.Spec, desired.Spec) && marked(service.Labels, desired.Metadata.Labels) &&
			marked(service.Annotations, desired.Metadata.Annotations)
	})
	if err != nil {
		return nil, explain.Wait(ctx, e.Subject(), "Liqo to change the gateway's Service", err)
	}
	changed := service.DeepCopy()
	maps.DeleteFunc(changed.Annotations, stale(earlier.Spec.ServiceAnnotations, desired.Metadata.Annotations))
	maps.DeleteFunc(changed.Labels, stale(earlier.Spec.ServiceLabels, desired.Metadata.Labels))
	if len(changed.Annotations) == len(service.Annotations) && len(changed.Labels) == len(service.Labels) {
		return service, nil
	}
	return changed, e.Leaf.Patch(ctx, changed, client.MergeFrom(service))
}

// marked reports whether labels or annotations have all the wanted ones.
func marked(set, desired map[string]string) bool {
	return labels.SelectorFromValidatedSet(desired).Matches(labels.Set(set))
}

// stale returns whether a key was set earlier and is no longer wanted.
func stale(earlier, desired map[string]string) func(key, value string) bool {
	return func(key, _ string) bool {
		_, was := earlier[key]
		_, is := desired[key]
		return was && !is
	}
}

// ServiceLost reports whether a server has no Service and will not get one. Liqo creates a gateway's Deployment and
// then its Service. If there is a Deployment but no Service, because someone deleted the Service or the API server
// refused it, Liqo's controller of WireGuard gateways stops before it creates one, and keeps the old address in the
// status. ServiceLost sends no request while the tunnel is up.
func (e *End) ServiceLost(ctx context.Context, objects liqo.Objects) (bool, error) {
	gateway := objects.Handled()
	if gateway == nil || gateway.Made.Kind != networkingv1beta1.WgGatewayServerKind {
		return false, nil
	}
	if objects.Tunnel() == networkingv1beta1.Connected {
		return false, nil
	}
	name := liqo.MadeForGateway(gateway)
	if lost, err := e.Leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Service"), name); err != nil || !lost {
		return false, err
	}
	lost, err := e.Leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	return !lost, err
}

// WaitForRollout returns when the new pods of a gateway that restarts are available, and the old ones are gone. The
// tunnel may not be up yet. For any other gateway, it returns immediately.
func (e *End) WaitForRollout(ctx context.Context, gateway EnsuredGateway) error {
	if !gateway.Restarts {
		return nil
	}
	name := liqo.MadeForGateway(gateway)
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	pods := gateway.parts.Deployment.Spec.Template
	err := e.Leaf.UntilObject(ctx, deployment, func(exists bool) bool {
		return exists && cluster.Includes(deployment.Spec.Template, pods) && rolledOut(deployment)
	})
	return explain.Wait(ctx, e.Subject(), "the gateway to restart", err)
}

// rolledOut reports whether all pods of a Deployment have its current template, it has no others, and enough of them
// are available. A standby that finds no node, or is still to start, delays nothing: one pod holds the tunnel.
func rolledOut(deployment *appsv1.Deployment) bool {
	desired, status := ptr.Deref(deployment.Spec.Replicas, 1), deployment.Status
	return status.ObservedGeneration >= deployment.Generation && status.Replicas == desired &&
		status.UpdatedReplicas == desired && status.AvailableReplicas >= min(desired, 1)
}
