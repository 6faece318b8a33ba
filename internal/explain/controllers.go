package explain

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

const controllersDown = "Liqo's controllers do not run"

// controllers explains why Liqo has not reacted to the provider's objects.
func controllers(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	ignored := view.Ignored()
	if len(ignored) == 0 {
		return nil, nil
	}
	return idleControllers(ctx, s.Leaf, ignored...)
}

// noDeployment explains why a gateway that Liqo has reacted to has no Deployment.
func noDeployment(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway := view.Handled()
	if gateway == nil {
		return nil, nil
	}
	gone, err := s.Leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), liqo.MadeForGateway(gateway))
	if err != nil || !gone {
		return nil, err
	}
	if refused := refusedDeployment(ctx, s.Leaf, gateway); len(refused) > 0 {
		return refused, nil
	}
	return idleControllers(ctx, s.Leaf, gateway.Object)
}

// idleControllers returns the cause why Liqo has not reacted to these objects.
func idleControllers(ctx context.Context, leaf *cluster.Leaf, ignored ...client.Object) ([]trouble.Problem, error) {
	c := trouble.Problem{
		ID:       "liqo-not-reacting",
		Summary:  "Liqo does not react",
		Evidence: []string{fmt.Sprintf("Liqo has not reacted to %s yet.", Names(leaf, ignored...))},
		Advice:   fmt.Sprintf("The log of Liqo's controllers on leaf %q shows why:\n\n", leaf.Name) + controllersLog(leaf),
	}
	var errs []error
	for _, object := range ignored {
		events, err := warnings(ctx, leaf, object)
		c.Evidence, errs = append(c.Evidence, events...), append(errs, err)
	}
	state, down, err := controllersState(ctx, leaf)
	if state != "" {
		c.Evidence = append(c.Evidence, state)
	}
	if down {
		c.ID, c.Summary, c.Advice = "controllers-down", controllersDown, startControllers(leaf)
	}
	return []trouble.Problem{c}, errors.Join(append(errs, err)...)
}

// startControllers returns the advice for a leaf whose Liqo controllers do not run.
func startControllers(leaf *cluster.Leaf) string {
	return fmt.Sprintf("Start Liqo's controllers on leaf %q again. To see why they do not run:\n\n"+
		"  kubectl -n %s describe deployment -l %s", leaf.Name, leaf.LiqoNamespace, liqo.ControllersSelector)
}

// controllersLog returns the command that shows the log of Liqo's controllers.
func controllersLog(leaf *cluster.Leaf) string {
	return fmt.Sprintf("  kubectl -n %s logs -l %s --tail=-1", leaf.LiqoNamespace, liqo.ControllersSelector)
}

// controllersState returns a sentence about the Deployment of Liqo's controllers, and reports whether none of them
// runs.
func controllersState(ctx context.Context, leaf *cluster.Leaf) (sentence string, down bool, err error) {
	deployments, err := liqo.Controllers(ctx, leaf)
	if err != nil {
		return "", false, err
	}
	if len(deployments) == 0 {
		return fmt.Sprintf("Namespace %s has no Deployment with Liqo's controllers.", leaf.LiqoNamespace), true, nil
	}
	deployment := &deployments[0]
	key := client.ObjectKeyFromObject(deployment)
	desired, available := ptr.Deref(deployment.Spec.Replicas, 1), deployment.Status.AvailableReplicas
	if desired == 0 {
		return fmt.Sprintf("Deployment %s, which runs Liqo's controllers, is scaled to 0 replicas.", key), true, nil
	}
	sentence = fmt.Sprintf(
		"Deployment %s, which runs Liqo's controllers, has %d of %d replicas available.", key, available, desired,
	)
	return sentence, available == 0, nil
}
