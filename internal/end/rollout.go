package end

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// WaitForRollout returns when the new pods of a gateway that restarts are available, and the old ones are gone. The
// tunnel may not be up yet. For any other gateway, it returns immediately.
func (e *End) WaitForRollout(ctx context.Context, gateway EnsuredGateway) error {
	if !gateway.Restarts {
		return nil
	}
	name := liqo.MadeForGateway(gateway)
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	err := e.Leaf.UntilObject(ctx, deployment, func(exists bool) bool {
		return exists && cluster.Includes(deployment.Spec.Template, gateway.pods) && rolledOut(deployment)
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
