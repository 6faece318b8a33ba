package shortcut

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// controllers is the Deployment of Liqo's controllers, as its chart names it.
const controllers = "liqo-controller-manager"

const controllersDown = "Liqo's controllers do not run"

// ignored are the objects that Liqo's controllers should have reacted to by now, and have not.
func (o objects) ignored() []client.Object {
	var ignored []client.Object
	if o.configuration != nil && !networkingutils.AreConfigurationNetworkCIDRsConfigured(o.configuration) {
		ignored = append(ignored, o.configuration)
	}
	if o.server != nil && o.server.Status.ServerRef == nil {
		ignored = append(ignored, o.server)
	}
	if o.client != nil && o.client.Status.ClientRef == nil {
		ignored = append(ignored, o.client)
	}
	return ignored
}

// controllersFindings tell why Liqo does nothing with these objects; none if there are none.
func (s *side) controllersFindings(ctx context.Context, ignored ...client.Object) ([]finding, error) {
	if len(ignored) == 0 {
		return nil, nil
	}
	f := finding{
		rank: rankControllers, summary: "Liqo does not react",
		evidence: []string{fmt.Sprintf("Liqo has done nothing with %s yet.", s.names(ignored...))},
		advice: fmt.Sprintf("See in the log of Liqo's controllers on leaf %q why:\n\n  kubectl -n %s logs deployment/%s",
			s.leaf.Name, s.leaf.LiqoNamespace, controllers),
	}
	var errs []error
	for _, object := range ignored {
		events, err := s.warnings(ctx, object.GetUID(), object.GetNamespace())
		f.evidence, errs = append(f.evidence, events...), append(errs, err)
	}
	state, down, err := s.controllersState(ctx)
	if state != "" {
		f.evidence = append(f.evidence, state)
	}
	if down {
		f.summary, f.advice = controllersDown, s.startControllers()
	}
	return []finding{f}, errors.Join(append(errs, err)...)
}

// startControllers is what to do when Liqo's controllers do not run.
func (s *side) startControllers() string {
	return fmt.Sprintf("Let Liqo's controllers run again on leaf %q. What is wrong with them shows:\n\n  kubectl -n %s describe deployment %s",
		s.leaf.Name, s.leaf.LiqoNamespace, controllers)
}

// controllersState is a sentence on the Deployment of Liqo's controllers, and whether none of them runs.
func (s *side) controllersState(ctx context.Context) (sentence string, down bool, err error) {
	var deployment appsv1.Deployment
	key := client.ObjectKey{Namespace: s.leaf.LiqoNamespace, Name: controllers}
	switch err := s.leaf.Live.Get(ctx, key, &deployment); {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("Deployment %s, which has Liqo's controllers, does not exist.", key), true, nil
	case err != nil:
		return "", false, s.leaf.Explain(err)
	}
	wanted, available := ptr.Deref(deployment.Spec.Replicas, 1), deployment.Status.AvailableReplicas
	if wanted == 0 {
		return fmt.Sprintf("Deployment %s, which has Liqo's controllers, is scaled to no pods.", key), true, nil
	}
	return fmt.Sprintf("Deployment %s, which has Liqo's controllers, has %d of %d pods available.", key, available, wanted), available == 0, nil
}

// names lists objects for people.
func (s *side) names(objects ...client.Object) string {
	names := make([]string, len(objects))
	for i, object := range objects {
		names[i] = s.leaf.Describe(object)
	}
	return enumerate(slices.Compact(names))
}

// enumerate joins words as a sentence does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
