package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Deletion is [Wait] for the deletion of one object of any kind.
func Deletion(
	ctx context.Context, leaf *cluster.Leaf, kind schema.GroupVersionKind, key client.ObjectKey, err error,
) error {
	s := Subject{Leaf: leaf}
	causes := func(ctx context.Context) ([]cause, error) {
		left, err := remaining(ctx, leaf, kind, key)
		if err != nil || left == nil {
			return nil, err
		}
		return s.causesIn(ctx, view{leaving: []client.Object{left}})
	}
	name := strings.TrimPrefix(key.String(), "/") // a cluster-scoped object has only a name
	return waited(ctx, leaf, lookout{causes, s.nothing}, fmt.Sprintf("%s %s to be deleted", kind.Kind, name), err)
}

// remaining returns the object that delays the deletion of the object with this key. Kubernetes deletes an object after
// its owner, so this is the owner if the owner still exists. Otherwise it is the object itself. The result is nil if
// neither exists.
func remaining(
	ctx context.Context, leaf *cluster.Leaf, kind schema.GroupVersionKind, key client.ObjectKey,
) (client.Object, error) {
	object, err := read(ctx, leaf, kind, key)
	if err != nil || object == nil {
		return nil, err
	}
	for _, owner := range object.GetOwnerReferences() {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
		// The owner of an object of Liqo's is in the same namespace. If the leaf does not know the owner's kind, the object
		// itself is reported. Without permission, nobody knows whether the owner exists.
		owning, err := remaining(ctx, leaf, kind, client.ObjectKey{Namespace: key.Namespace, Name: owner.Name})
		if cluster.MissingPermission(err) {
			return nil, err
		}
		if err == nil && owning != nil {
			return owning, nil
		}
	}
	return object, nil
}

// read returns an object of any kind, or nil if it does not exist. It reads only the metadata, except of a namespace,
// whose conditions say what is left in it.
func read(
	ctx context.Context, leaf *cluster.Leaf, kind schema.GroupVersionKind, key client.ObjectKey,
) (client.Object, error) {
	var object client.Object = &corev1.Namespace{}
	if kind != corev1.SchemeGroupVersion.WithKind("Namespace") {
		object = &metav1.PartialObjectMetadata{}
		object.GetObjectKind().SetGroupVersionKind(kind)
	}
	if exists, err := leaf.Get(ctx, key, object); !exists {
		return nil, err
	}
	return object, nil
}

// unattendedDeletion explains why objects with finalizers of Liqo still exist: Liqo's controllers do not run.
func unattendedDeletion(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	if !heldByLiqo(view.leaving) {
		return nil, nil
	}
	_, down, err := controllersState(ctx, s.Leaf)
	if err != nil || !down {
		return nil, err
	}
	causes, err := deletion(ctx, s, view)
	for i := range causes {
		causes[i].ID, causes[i].Summary = "controllers-down", controllersDown
		causes[i].Advice = startControllers(s.Leaf) + "\n\n" + causes[i].Advice
	}
	return causes, err
}

// deletion explains why objects that are to be deleted still exist.
func deletion(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	if len(view.leaving) == 0 {
		return nil, nil
	}
	evidence, err := evidenceOfDeletion(ctx, s.Leaf, view.leaving)
	return []trouble.Problem{{
		ID:       "object-not-deleted",
		Summary:  s.Leaf.Describe(view.leaving[0]) + " is not deleted",
		Evidence: evidence,
		Advice: "Destroy or apply again; this continues from what is left. If the deletion is only slow, allow more time " +
			"in `timeouts`." + finalizerAdvice(view.leaving),
	}}, err
}

// BeingDeleted returns the problem that these objects of a leaf are marked for deletion and still exist. It says what
// holds them, as far as the leaf shows it.
func BeingDeleted(ctx context.Context, leaf *cluster.Leaf, objects []client.Object, advice string) *trouble.Problem {
	evidence, _ := evidenceOfDeletion(ctx, leaf, objects)
	return &trouble.Problem{
		ID: "deletion-under-way", Leaf: leaf.Name,
		Summary:  leaf.Describe(objects[0]) + " is being deleted",
		Evidence: evidence, Advice: advice + finalizerAdvice(objects),
	}
}

// evidenceOfDeletion returns what holds these objects: finalizers, Liqo's controllers that do not run, and what is left
// in a namespace.
func evidenceOfDeletion(ctx context.Context, leaf *cluster.Leaf, objects []client.Object) ([]string, error) {
	var (
		evidence []string
		errs     []error
	)
	for _, object := range objects {
		evidence = append(evidence, fmt.Sprintf("%s still exists: %s.", leaf.Describe(object), held(object)))
		events, err := warnings(ctx, leaf, object)
		evidence, errs = append(evidence, events...), append(errs, err)
	}
	if heldByLiqo(objects) {
		state, _, err := controllersState(ctx, leaf)
		if state != "" {
			evidence = append(evidence, state)
		}
		errs = append(errs, err)
	}
	for _, object := range objects {
		evidence = append(evidence, leftIn(object)...)
	}
	return evidence, errors.Join(errs...)
}

// finalizerAdvice returns a sentence for whoever might remove the finalizers of these objects.
func finalizerAdvice(objects []client.Object) string {
	if !slices.ContainsFunc(objects, func(object client.Object) bool { return len(object.GetFinalizers()) > 0 }) {
		return ""
	}
	return " Do not remove a finalizer by hand: the controller that set it still has something to clean up."
}

// held says why an object still exists.
func held(object client.Object) string {
	leaving := !object.GetDeletionTimestamp().IsZero()
	switch {
	case leaving && len(object.GetFinalizers()) > 0:
		return "it waits for the finalizer " + strings.Join(object.GetFinalizers(), ", ")
	case leaving:
		return "it is marked for deletion"
	case len(object.GetOwnerReferences()) > 0:
		owner := object.GetOwnerReferences()[0]
		return fmt.Sprintf("Kubernetes has not noticed yet that its owner, %s %s, is gone", owner.Kind, owner.Name)
	default:
		return "it is not marked for deletion"
	}
}

// heldByLiqo reports whether any of the objects has a finalizer of Liqo.
func heldByLiqo(objects []client.Object) bool {
	ofLiqo := func(finalizer string) bool { return strings.Contains(finalizer, "liqo.io/") }
	return slices.ContainsFunc(objects, func(object client.Object) bool {
		return slices.ContainsFunc(object.GetFinalizers(), ofLiqo)
	})
}

// leftIn returns what the conditions of a namespace say about its remaining content. It returns nil for other objects.
func leftIn(object client.Object) []string {
	namespace, ok := object.(*corev1.Namespace)
	if !ok {
		return nil
	}
	var left []string
	for _, condition := range namespace.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			left = append(left, trouble.ShownLines(condition.Message))
		}
	}
	return left
}
