package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// serviceChange explains why the Service of a gateway does not become what Liqo wants. Only Liqo's log says it. So
// serviceChange makes the same change as a dry run, and the API server says why it refuses it.
func serviceChange(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway := view.GatewayAs(liqo.ServerRole)
	if gateway == nil || gateway.Made == nil {
		return nil, nil
	}
	var service corev1.Service
	err := s.Leaf.Live.Get(ctx, liqo.MadeForGateway(gateway), &service)
	if apierrors.IsNotFound(err) {
		return nil, nil // there is nothing to change
	}
	if err != nil {
		return nil, s.Leaf.Explain(err)
	}
	desired, err := wantedService(ctx, s.Leaf, gateway)
	if err != nil || desired == nil || cluster.Includes(service.Spec, desired.Spec) {
		return nil, err
	}
	changed := service.DeepCopy()
	changed.Spec.Type, changed.Spec.Ports = desired.Spec.Type, desired.Spec.Ports
	changed.Spec.LoadBalancerIP = desired.Spec.LoadBalancerIP
	refusal, err := refusalOf(s.Leaf, s.Leaf.Live.Patch(ctx, changed, client.MergeFrom(&service), client.DryRunAll))
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
