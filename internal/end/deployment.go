package end

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// checkDeployment fails if the API server refuses the Deployment that Liqo would make for a gateway with settings of
// its pods. Only Liqo's log says so afterwards, and the gateway would be waited for in vain. So checkDeployment makes
// the same one as a dry run. What it can't find out, for example because it may not ask, is no problem.
func (e *End) checkDeployment(ctx context.Context, gateway desiredGateway, made parts) error {
	if gateway.derived == nil {
		return nil
	}
	desired := liqo.DeploymentOf(gateway.Object, made.Deployment)
	err := e.tryDeployment(ctx, desired)
	if !cluster.Refused(err) {
		return nil
	}
	return &trouble.Problem{
		ID: "gateway-deployment-refused", Leaf: e.Leaf.Name, Summary: "the gateway's Deployment is refused",
		Evidence: []string{fmt.Sprintf("Liqo could not make %s so. The API server says: %s", e.Leaf.Describe(desired),
			cluster.ShownLines(err.Error()))},
		Advice: "The gateway was not changed. Change what the API server refuses, in `pods` or on the leaf. Then apply " +
			"again.",
		Err: err,
	}
}

// tryDeployment creates or changes a Deployment as a dry run. The error is the API server's.
func (e *End) tryDeployment(ctx context.Context, desired *appsv1.Deployment) error {
	existing := &appsv1.Deployment{}
	err := e.Leaf.Live.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	switch {
	case apierrors.IsNotFound(err):
		return e.Leaf.Live.Create(ctx, desired, client.DryRunAll)
	case err != nil:
		return err
	}
	changed := existing.DeepCopy()
	changed.Spec = desired.Spec
	return e.Leaf.Live.Patch(ctx, changed, client.MergeFrom(existing), client.DryRunAll)
}
