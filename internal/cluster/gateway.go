package cluster

import (
	"context"

	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MadeForGateway returns the namespace and name of the Deployment and the Service that Liqo creates
// for a gateway.
func MadeForGateway(gateway client.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName())}
}

// GatewayPods lists the pods of a gateway, including those that are being deleted. It asks the API
// server.
func (l *Leaf) GatewayPods(ctx context.Context, gateway client.Object) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := l.Live.List(ctx, &pods, client.InNamespace(gateway.GetNamespace()), client.MatchingLabels{
		consts.GatewayNameLabel: gateway.GetName(),
	})
	return pods.Items, l.Explain(err)
}

// GatewayPods are the pods of all gateways of a leaf at one moment, keyed by the gateway. Nil stands for a moment at
// which they could not be read.
type GatewayPods map[client.ObjectKey][]corev1.Pod

// AllGatewayPods lists the pods of all gateways. It asks the API server, and its answer grows with the number of
// gateways. It is for when no gateway is known yet, see [Registry.AskOnTheWay].
func (l *Leaf) AllGatewayPods(ctx context.Context) GatewayPods {
	var list corev1.PodList
	if err := l.Live.List(ctx, &list, client.HasLabels{consts.GatewayNameLabel}); err != nil {
		return nil // whoever knows a gateway reads its pods, and learns the reason
	}
	pods := GatewayPods{}
	for _, pod := range list.Items {
		gateway := client.ObjectKey{Namespace: pod.Namespace, Name: pod.Labels[consts.GatewayNameLabel]}
		pods[gateway] = append(pods[gateway], pod)
	}
	return pods
}
