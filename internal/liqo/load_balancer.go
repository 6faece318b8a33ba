package liqo

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// PortHolder finds another Service of type LoadBalancer that has an address and the UDP port of a gateway. The Service
// of the gateway has the name own. The result is nil if there is none. Shared means that the leaf's load balancer gives
// several Services the same address, as k3s' ServiceLB does with the addresses of the nodes. Then only one of them can
// have a port. PortHolder asks the API server.
func PortHolder(
	ctx context.Context, leaf *cluster.Leaf, own string, port int32,
) (holder *corev1.Service, shared bool, err error) {
	var services corev1.ServiceList
	err = leaf.Live.List(ctx, &services, client.MatchingFieldsSelector{
		Selector: fields.OneTermEqualSelector("spec.type", string(corev1.ServiceTypeLoadBalancer)),
	})
	if err != nil {
		return nil, false, leaf.Explain(err)
	}
	addresses := map[string]bool{}
	for i := range services.Items {
		service := &services.Items[i]
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			address := ingress.IP + ingress.Hostname
			shared = shared || addresses[address]
			addresses[address] = true
		}
		if service.Name != own && len(service.Status.LoadBalancer.Ingress) > 0 && listensAt(service, port) {
			holder = service
		}
	}
	return holder, shared, nil
}

func listensAt(service *corev1.Service, port int32) bool {
	return slices.ContainsFunc(service.Spec.Ports, func(one corev1.ServicePort) bool {
		return one.Port == port && one.Protocol == corev1.ProtocolUDP
	})
}
