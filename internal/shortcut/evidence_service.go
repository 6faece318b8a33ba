package shortcut

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

// serviceFindings tell why a gateway has no address that the other leaf could dial.
func (s *side) serviceFindings(ctx context.Context, gateway client.Object) ([]finding, error) {
	var service corev1.Service
	switch err := s.leaf.Live.Get(ctx, madeName(gateway), &service); {
	case apierrors.IsNotFound(err):
		return s.missingServiceFindings(ctx, gateway)
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

// missingServiceFindings tell why a gateway has no Service. Only Liqo's log says why it could not make one, so the API server is asked what it thinks of the same.
func (s *side) missingServiceFindings(ctx context.Context, gateway client.Object) ([]finding, error) {
	service, err := s.wantedService(ctx, gateway)
	if err != nil || service == nil {
		return nil, err // what is known of the Deployment says why
	}
	f := finding{
		rank: rankService, summary: "the gateway has no Service",
		evidence: []string{s.leaf.Describe(service) + " does not exist, and Liqo makes none for a gateway that has its Deployment already."},
		advice:   "Apply again: the gateway is made anew then.",
	}
	err = s.leaf.Live.Create(ctx, service, client.DryRunAll)
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return []finding{f}, nil
	case errors.As(err, &status) && !cluster.MissingPermission(err) && !cluster.Unreachable(s.leaf.Explain(err)):
		f.summary = "the gateway's Service is refused"
		f.evidence = []string{fmt.Sprintf("Liqo can't make %s. The API server says: %s", s.leaf.Describe(service), status.Status().Message)}
		f.advice = "Change what it refuses, in `server_gateway` or on the leaf, and apply again: the gateway is made anew then."
		return []finding{f}, nil
	default:
		return []finding{f}, s.leaf.Explain(err)
	}
}

// wantedService is the Service that Liqo makes for a gateway of WireGuard once it has made the Deployment; nil while there is no Deployment, and for other technologies.
func (s *side) wantedService(ctx context.Context, gateway client.Object) (*corev1.Service, error) {
	server, ok := gateway.(*networkingv1beta1.GatewayServer)
	if !ok || server.Status.ServerRef == nil || server.Status.ServerRef.Kind != networkingv1beta1.WgGatewayServerKind {
		return nil, nil //nolint:nilnil // documented
	}
	lost, err := s.lost(ctx, made{appsv1.SchemeGroupVersion.WithKind("Deployment"), madeName(gateway)})
	if err != nil || lost {
		return nil, err
	}
	var technology networkingv1beta1.WgGatewayServer
	key := client.ObjectKey{Namespace: server.Status.ServerRef.Namespace, Name: server.Status.ServerRef.Name}
	if err := s.leaf.Live.Get(ctx, key, &technology); err != nil {
		return nil, s.leaf.Explain(err)
	}
	template, name := technology.Spec.Service, madeName(gateway)
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name, Labels: template.Metadata.Labels, Annotations: template.Metadata.Annotations,
		},
		Spec: template.Spec,
	}, nil
}
