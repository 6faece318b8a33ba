package shortcut

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// serviceFindings tell why a gateway has no address that the other leaf could dial.
func (s *side) serviceFindings(ctx context.Context, gateway client.Object) ([]finding, error) {
	var service corev1.Service
	switch err := s.leaf.Live.Get(ctx, madeName(gateway), &service); {
	case apierrors.IsNotFound(err):
		return s.controllersFindings(ctx, gateway)
	case err != nil:
		return nil, s.leaf.Explain(err)
	}
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer || len(service.Status.LoadBalancer.Ingress) > 0 {
		return nil, nil
	}
	events, err := s.warnings(ctx, service.UID, service.Namespace)
	if len(events) == 0 && err == nil {
		events = []string{"No event of the Service says why."}
	}
	return []finding{{
		rank: rankService, summary: "the load balancer gives no address",
		evidence: append([]string{s.leaf.Describe(&service) + " is of type LoadBalancer and has no address."}, events...),
		advice: fmt.Sprintf("Check that leaf %q has a load balancer and that it works. If it has none, set `service_type = \"NodePort\"` in "+
			"`server_gateway`.", s.leaf.Name),
	}}, err
}
