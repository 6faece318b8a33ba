package explain

import (
	"context"
	"errors"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// service explains why a gateway has no address that the other leaf could dial.
func service(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	if found.Server == nil || found.gateway() == nil {
		return nil, nil
	}
	var service corev1.Service
	switch err := s.Leaf.Live.Get(ctx, cluster.MadeForGateway(found.Server), &service); {
	case apierrors.IsNotFound(err):
		return noService(ctx, s.Leaf, found.Server)
	case err != nil:
		return nil, s.Leaf.Explain(err)
	}
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer || len(service.Status.LoadBalancer.Ingress) > 0 {
		return nil, nil
	}
	events, err := warnings(ctx, s.Leaf, &service)
	if len(events) == 0 && err == nil {
		events = []string{"No event of the Service says why."}
	}
	return []cause{{
		summary:  "the load balancer gives no address",
		evidence: append([]string{s.Leaf.Describe(&service) + " is of type LoadBalancer and has no address."}, events...),
		advice: fmt.Sprintf("Check that leaf %q has a load balancer and that it works. If it has none, set `service_type = \"NodePort\"` in "+
			"`server_gateway`.", s.Leaf.Name),
	}}, err
}

// noService is the cause why a gateway has no Service; none while it is not due. Only Liqo's log says why it could not make one, so the API server is asked what it thinks of
// the same.
func noService(ctx context.Context, leaf *cluster.Leaf, gateway *networkingv1beta1.GatewayServer) ([]cause, error) {
	service, err := wantedService(ctx, leaf, gateway)
	if err != nil || service == nil {
		return nil, err // what is known of the Deployment says why
	}
	c := cause{
		summary:  "the gateway has no Service",
		evidence: []string{leaf.Describe(service) + " does not exist, and Liqo makes none for a gateway that has its Deployment already."},
		advice:   "Apply again: the gateway is made anew then.",
	}
	err = leaf.Live.Create(ctx, service, client.DryRunAll)
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return []cause{c}, nil
	case errors.As(err, &status) && !cluster.MissingPermission(err) && !cluster.Unreachable(leaf.Explain(err)):
		c.summary = "the gateway's Service is refused"
		c.evidence = []string{fmt.Sprintf("Liqo can't make %s. The API server says: %s", leaf.Describe(service), status.Status().Message)}
		c.advice = "Change what it refuses, in `server_gateway` or on the leaf, and apply again: the gateway is made anew then."
		return []cause{c}, nil
	default:
		return []cause{c}, leaf.Explain(err)
	}
}

// wantedService is the Service that Liqo makes for a gateway of WireGuard once it has made the Deployment; nil while there is no Deployment, and for other technologies.
func wantedService(ctx context.Context, leaf *cluster.Leaf, gateway *networkingv1beta1.GatewayServer) (*corev1.Service, error) {
	reference, name := gateway.Status.ServerRef, cluster.MadeForGateway(gateway)
	if reference.Kind != networkingv1beta1.WgGatewayServerKind {
		return nil, nil //nolint:nilnil // documented
	}
	gone, err := leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	if err != nil || gone {
		return nil, err
	}
	var technology networkingv1beta1.WgGatewayServer
	if err := leaf.Live.Get(ctx, client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}, &technology); err != nil {
		return nil, leaf.Explain(err)
	}
	template := technology.Spec.Service
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name, Labels: template.Metadata.Labels, Annotations: template.Metadata.Annotations,
		},
		Spec: template.Spec,
	}, nil
}
