package explain

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// controllersName is the Deployment of Liqo's controllers, as its chart names it.
const controllersName = "liqo-controller-manager"

const controllersDown = "Liqo's controllers do not run"

// controllers explains why Liqo has not reacted to what was written.
func controllers(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	ignored := found.ignored()
	if len(ignored) == 0 {
		return nil, nil
	}
	return idleControllers(ctx, s.Leaf, ignored...)
}

// noDeployment explains why a gateway that Liqo has reacted to has no Deployment.
func noDeployment(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	gateway := found.gateway()
	if gateway == nil {
		return nil, nil
	}
	gone, err := s.Leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), cluster.MadeForGateway(gateway))
	if err != nil || !gone {
		return nil, err
	}
	return idleControllers(ctx, s.Leaf, gateway)
}

// idleControllers are the cause that Liqo has not done what it does with these objects.
func idleControllers(ctx context.Context, leaf *cluster.Leaf, ignored ...client.Object) ([]cause, error) {
	c := cause{
		summary:  "Liqo does not react",
		evidence: []string{fmt.Sprintf("Liqo has done nothing with %s yet.", Names(leaf, ignored...))},
		advice: fmt.Sprintf("See in the log of Liqo's controllers on leaf %q why:\n\n  kubectl -n %s logs deployment/%s",
			leaf.Name, leaf.LiqoNamespace, controllersName),
	}
	var errs []error
	for _, object := range ignored {
		events, err := warnings(ctx, leaf, object)
		c.evidence, errs = append(c.evidence, events...), append(errs, err)
	}
	state, down, err := controllersState(ctx, leaf)
	if state != "" {
		c.evidence = append(c.evidence, state)
	}
	if down {
		c.summary, c.advice = controllersDown, startControllers(leaf)
	}
	return []cause{c}, errors.Join(append(errs, err)...)
}

// startControllers is what to do when Liqo's controllers do not run.
func startControllers(leaf *cluster.Leaf) string {
	return fmt.Sprintf("Let Liqo's controllers run again on leaf %q. What is wrong with them shows:\n\n  kubectl -n %s describe deployment %s",
		leaf.Name, leaf.LiqoNamespace, controllersName)
}

// controllersState is a sentence on the Deployment of Liqo's controllers, and whether none of them runs.
func controllersState(ctx context.Context, leaf *cluster.Leaf) (sentence string, down bool, err error) {
	var deployment appsv1.Deployment
	key := client.ObjectKey{Namespace: leaf.LiqoNamespace, Name: controllersName}
	switch err := leaf.Live.Get(ctx, key, &deployment); {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("Deployment %s, which has Liqo's controllers, does not exist.", key), true, nil
	case err != nil:
		return "", false, leaf.Explain(err)
	}
	wanted, available := ptr.Deref(deployment.Spec.Replicas, 1), deployment.Status.AvailableReplicas
	if wanted == 0 {
		return fmt.Sprintf("Deployment %s, which has Liqo's controllers, is scaled to no pods.", key), true, nil
	}
	return fmt.Sprintf("Deployment %s, which has Liqo's controllers, has %d of %d pods available.", key, available, wanted), available == 0, nil
}
