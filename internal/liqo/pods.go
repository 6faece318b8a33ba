package liqo

import (
	"context"

	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// MadeForGateway returns the namespace and name of the Deployment and the Service that Liqo creates for a gateway.
func MadeForGateway(gateway client.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName())}
}

// PodsOf lists the pods of a gateway, including those that are being deleted. It asks the API server.
func PodsOf(ctx context.Context, leaf *cluster.Leaf, gateway client.Object) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := leaf.Live.List(ctx, &pods, client.InNamespace(gateway.GetNamespace()), client.MatchingLabels{
		consts.GatewayNameLabel: gateway.GetName(),
	})
	return pods.Items, leaf.Explain(err)
}
