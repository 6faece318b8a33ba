package liqo

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// MadeForGateway returns the namespace and name of the Deployment and the Service that Liqo creates for a gateway.
func MadeForGateway(gateway client.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName())}
}

// DeploymentOf returns the Deployment that Liqo creates for a gateway, as its technology's object describes it.
func DeploymentOf(gateway client.Object, described networkingv1beta1.DeploymentTemplate) *appsv1.Deployment {
	name := MadeForGateway(gateway)
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name,
			Labels: described.Metadata.Labels, Annotations: described.Metadata.Annotations,
		},
		Spec: *described.Spec.DeepCopy(),
	}
	for _, volume := range deployment.Spec.Template.Spec.Volumes {
		if volume.Secret != nil && volume.Secret.SecretName == "" { // Liqo sets it when there is one
			volume.Secret.SecretName = name.Name
		}
	}
	return deployment
}

// PodsOf lists the pods of a gateway, including those that are being deleted. It asks the API server.
func PodsOf(ctx context.Context, leaf *cluster.Leaf, gateway client.Object) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := leaf.Live.List(ctx, &pods, client.InNamespace(gateway.GetNamespace()), client.MatchingLabels{
		consts.GatewayNameLabel: gateway.GetName(),
	})
	return pods.Items, leaf.Explain(err)
}
