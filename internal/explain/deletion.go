package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Deletion is [Wait] for the deletion of one object of any kind.
func Deletion(ctx context.Context, leaf *cluster.Leaf, kind schema.GroupVersionKind, key client.ObjectKey, err error) error {
	find := func(ctx context.Context) (Objects, error) {
		object, err := remaining(ctx, leaf, kind, key)
		if err != nil || object == nil {
			return Objects{}, err
		}
		return Objects{Leaving: []client.Object{object}}, nil
	}
	name := strings.TrimPrefix(key.String(), "/") // what is in no namespace has only a name
	return Wait(ctx, Subject{Leaf: leaf, Find: find}, fmt.Sprintf("%s %s to be deleted", kind.Kind, name), err)
}

// remaining is what an object that is to be gone waits for: itself, or its owner. What has an owner goes after it, so the owner that is there is the one to look at.
// It is nil when nothing is left.
func remaining(ctx context.Context, leaf *cluster.Leaf, kind schema.GroupVersionKind, key client.ObjectKey) (client.Object, error) {
	object, err := read(ctx, leaf, kind, key)
	if err != nil || object == nil {
		return nil, err
	}
	for _, owner := range object.GetOwnerReferences() {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
		// Liqo's objects are owned within their namespace. An owner that can't be read leaves the object itself to be told of.
		owning, err := remaining(ctx, leaf, kind, client.ObjectKey{Namespace: key.Namespace, Name: owner.Name})
		if err == nil && owning != nil {
			return owning, nil
		}
	}
	return object, nil
}

// read is an object of any kind; nil where there is none. Of all kinds but namespaces, whose conditions say what is left in them, nothing but the metadata is read.
func read(ctx context.Context, leaf *cluster.Leaf, kind schema.GroupVersionKind, key client.ObjectKey) (client.Object, error) {
	var object client.Object = &corev1.Namespace{}
	if kind != corev1.SchemeGroupVersion.WithKind("Namespace") {
		object = &metav1.PartialObjectMetadata{}
		object.GetObjectKind().SetGroupVersionKind(kind)
	}
	err := leaf.Live.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // documented
	}
	return object, leaf.Explain(err)
}

// unattendedDeletion explains why what Liqo's controllers hold is not gone while none of them runs.
func unattendedDeletion(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	if !heldByLiqo(found.Leaving) {
		return nil, nil
	}
	_, down, err := controllersState(ctx, s.Leaf)
	if err != nil || !down {
		return nil, err
	}
	causes, err := deletion(ctx, s, found)
	for i := range causes {
		causes[i].summary, causes[i].advice = controllersDown, startControllers(s.Leaf)+"\n\n"+causes[i].advice
	}
	return causes, err
}

// deletion explains why what is to be gone is still there.
func deletion(ctx context.Context, s Subject, found Objects) ([]cause, error) {
	if len(found.Leaving) == 0 {
		return nil, nil
	}
	c := cause{
		summary: s.Leaf.Describe(found.Leaving[0]) + " is not deleted",
		advice:  "Destroy or apply again: it goes on from what is left. If it only takes long, allow more time in `timeouts`.",
	}
	var errs []error
	for _, object := range found.Leaving {
		c.evidence = append(c.evidence, fmt.Sprintf("%s is still there, %s.", s.Leaf.Describe(object), held(object)))
		events, err := warnings(ctx, s.Leaf, object)
		c.evidence, errs = append(c.evidence, events...), append(errs, err)
	}
	if slices.ContainsFunc(found.Leaving, func(object client.Object) bool { return len(object.GetFinalizers()) > 0 }) {
		c.advice += " Leave a finalizer to the controller that set it: that one still has something to clean up."
	}
	if heldByLiqo(found.Leaving) {
		state, _, err := controllersState(ctx, s.Leaf)
		if state != "" {
			c.evidence = append(c.evidence, state)
		}
		errs = append(errs, err)
	}
	for _, object := range found.Leaving {
		c.evidence = append(c.evidence, leftIn(object)...)
	}
	return []cause{c}, errors.Join(errs...)
}

// held says what keeps an object.
func held(object client.Object) string {
	leaving := !object.GetDeletionTimestamp().IsZero()
	switch {
	case leaving && len(object.GetFinalizers()) > 0:
		return "held by the finalizer " + strings.Join(object.GetFinalizers(), ", ")
	case leaving:
		return "marked for deletion"
	case len(object.GetOwnerReferences()) > 0:
		owner := object.GetOwnerReferences()[0]
		return fmt.Sprintf("until Kubernetes notices that its owner, %s %s, is gone", owner.Kind, owner.Name)
	default:
		return "not marked for deletion"
	}
}

// heldByLiqo reports whether a finalizer of Liqo's is on any of the objects.
func heldByLiqo(objects []client.Object) bool {
	return slices.ContainsFunc(objects, func(object client.Object) bool {
		return slices.ContainsFunc(object.GetFinalizers(), func(name string) bool { return strings.Contains(name, "liqo.io/") })
	})
}

// leftIn tells what keeps a namespace, which Kubernetes says in its conditions; nothing of any other object.
func leftIn(object client.Object) []string {
	namespace, ok := object.(*corev1.Namespace)
	if !ok {
		return nil
	}
	var left []string
	for _, condition := range namespace.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			left = append(left, condition.Message)
		}
	}
	return left
}
