package explain

import (
	"context"
	"errors"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// service explains why a gateway has no address for the other leaf to dial.
func service(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway := view.GatewayAs(liqo.ServerRole)
	if gateway == nil || gateway.Made == nil {
		return nil, nil
	}
	var service corev1.Service
	exists, err := s.Leaf.Get(ctx, liqo.MadeForGateway(gateway), &service)
	switch {
	case err != nil:
		return nil, err
	case !exists:
		return noService(ctx, s, gateway)
	}
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer || len(service.Status.LoadBalancer.Ingress) > 0 {
		return nil, nil
	}
	events, err := warnings(ctx, s.Leaf, &service)
	if len(events) == 0 && err == nil {
		events = []string{"No event of the Service says why."}
	}
	problem := trouble.Problem{
		ID:      "load-balancer-without-address",
		Summary: "the load balancer gives no address",
		Evidence: append([]string{s.Leaf.Describe(&service) + " is of type LoadBalancer and has no address."},
			events...),
		Advice: fmt.Sprintf("Check that leaf %q has a load balancer and that it works. If it has none, set "+
			"`service_type = \"NodePort\"` in %s.", s.Leaf.Name, s.settings()),
	}
	port := gateway.Server.Spec.Endpoint.Port
	holder, _, holderErr := liqo.PortHolder(ctx, s.Leaf, service.Name, port)
	if holder != nil {
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("%s has the port %d/UDP of the load balancer already.",
			s.Leaf.Describe(holder), port))
		problem.Advice = fmt.Sprintf("If the load balancer of %q gives all Services the same address, as k3s' ServiceLB "+
			"does, set another `port` in %s. %s", s.Leaf.Name, s.settings(), problem.Advice)
	}
	return []trouble.Problem{problem}, errors.Join(err, holderErr)
}

// settings says where the settings of the gateway's Service are.
func (s Subject) settings() string {
	if s.Alone {
		return "the `liqo_gateway_server`"
	}
	return "`server_gateway`"
}

// refusalOf returns why the API server refuses a dry run, or an empty string if it does not. Other errors are returned.
func refusalOf(err error) (string, error) {
	if answer := cluster.Answer(err); answer != "" && !cluster.MissingPermission(err) && !cluster.Unreachable(err) {
		return trouble.ShownLines(answer), nil
	}
	return "", err
}

// noService returns the cause why a gateway has no Service. It returns nil if Liqo need not have created the Service
// yet. Only Liqo's log says why Liqo could not create it. So noService creates the same Service as a dry run, and the
// API server says why it refuses it.
func noService(ctx context.Context, s Subject, gateway *liqo.Gateway) ([]trouble.Problem, error) {
	leaf := s.Leaf
	service, err := wantedService(ctx, leaf, gateway)
	if err != nil || service == nil {
		return nil, err // the Deployment shows the cause
	}
	c := trouble.Problem{
		ID:      "gateway-without-service",
		Summary: "the gateway has no Service",
		Evidence: []string{
			leaf.Describe(service) + " does not exist. Liqo creates none for a gateway that already has a Deployment.",
		},
		Advice: "Apply again; this creates the gateway again.",
	}
	refusal, err := refusalOf(leaf.TryCreate(ctx, service))
	if refusal != "" {
		c.ID, c.Summary = "gateway-service-refused", "the gateway's Service is refused"
		c.Evidence = []string{
			fmt.Sprintf("Liqo can't create %s. The API server says: %s", leaf.Describe(service), refusal),
		}
		c.Advice = fmt.Sprintf("Change what the API server refuses, in %s or on the leaf. Then apply again; "+
			"this creates the gateway again.", s.settings())
	}
	return []trouble.Problem{c}, err
}

// wantedService returns the Service that Liqo creates for a WireGuard gateway after the Deployment. It returns nil if
// Liqo has not created a Deployment yet, and for other technologies.
func wantedService(ctx context.Context, leaf *cluster.Leaf, gateway *liqo.Gateway) (*corev1.Service, error) {
	reference, name := gateway.Made, liqo.MadeForGateway(gateway)
	if reference.Kind != networkingv1beta1.WgGatewayServerKind {
		return nil, nil
	}
	gone, err := leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	if err != nil || gone {
		return nil, err
	}
	var technology networkingv1beta1.WgGatewayServer
	key := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
	if exists, err := leaf.Get(ctx, key, &technology); !exists {
		return nil, err
	}
	template := technology.Spec.Service
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name,
			Labels: template.Metadata.Labels, Annotations: template.Metadata.Annotations,
		},
		Spec: template.Spec,
	}, nil
}

// serviceChange explains why the Service of a gateway does not become what Liqo wants. Only Liqo's log says it. So
// serviceChange makes the same change as a dry run, and the API server says why it refuses it.
func serviceChange(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway := view.GatewayAs(liqo.ServerRole)
	if gateway == nil || gateway.Made == nil {
		return nil, nil
	}
	var service corev1.Service
	if exists, err := s.Leaf.Get(ctx, liqo.MadeForGateway(gateway), &service); !exists {
		return nil, err // there is nothing to change
	}
	desired, err := wantedService(ctx, s.Leaf, gateway)
	if err != nil || desired == nil || cluster.Includes(service.Spec, desired.Spec) {
		return nil, err
	}
	changed := service.DeepCopy()
	changed.Spec.Type, changed.Spec.Ports = desired.Spec.Type, desired.Spec.Ports
	changed.Spec.LoadBalancerIP = desired.Spec.LoadBalancerIP
	refusal, err := refusalOf(s.Leaf.TryPatch(ctx, changed, client.MergeFrom(&service)))
	if refusal == "" {
		return nil, err
	}
	return []trouble.Problem{{
		ID:      "gateway-service-refused",
		Summary: "the change of the gateway's Service is refused",
		Evidence: []string{
			fmt.Sprintf("Liqo can't change %s. The API server says: %s", s.Leaf.Describe(&service), refusal),
			"The Service stays as it was, and so does the tunnel.",
		},
		Advice: fmt.Sprintf("Change what the API server refuses, in %s or on the leaf. Then apply again.", s.settings()),
	}}, nil
}
