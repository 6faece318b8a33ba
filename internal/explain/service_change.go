package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// serviceChange explains why the Service of a gateway does not become what Liqo wants. Only Liqo's log says
// it. So serviceChange makes the same change as a dry run, and the API server says why it refuses it.
func serviceChange(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	if found.Server == nil || found.Server.Status.ServerRef == nil {
		return nil, nil
	}
	var service corev1.Service
	err := s.Leaf.Live.Get(ctx, cluster.MadeForGateway(found.Server), &service)
	if apierrors.IsNotFound(err) {
		return nil, nil // there is nothing to change
	}
	if err != nil {
		return nil, s.Leaf.Explain(err)
	}
	wanted, err := wantedService(ctx, s.Leaf, found.Server)
	if err != nil || wanted == nil || equality.Semantic.DeepDerivative(wanted.Spec, service.Spec) {
		return nil, err
	}
	changed := service.DeepCopy()
	changed.Spec.Type, changed.Spec.Ports = wanted.Spec.Type, wanted.Spec.Ports
	changed.Spec.LoadBalancerIP = wanted.Spec.LoadBalancerIP //nolint:staticcheck // Liqo's API has only this
	refusal, err := refusalOf(s.Leaf, s.Leaf.Live.Patch(ctx, changed, client.MergeFrom(&service), client.DryRunAll))
	if refusal == "" {
		return nil, err
	}
	return []cause{{
		summary: "the change of the gateway's Service is refused",
		evidence: []string{
			fmt.Sprintf("Liqo can't change %s. The API server says: %s", s.Leaf.Describe(&service), refusal),
			"The Service stays as it was, and so does the tunnel.",
		},
		advice: "Change what the API server refuses, in `server_gateway` or on the leaf. Then apply again.",
	}}, nil
}
