package shortcut

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
)

// leaving are the objects that somebody has deleted and that are still there.
func (o objects) leaving() []client.Object {
	return slices.DeleteFunc(o.all(), func(object client.Object) bool { return !leaving(object) })
}

// deletionFindings tell why these objects are not gone yet.
func (s *side) deletionFindings(ctx context.Context, remaining ...client.Object) ([]finding, error) {
	f := finding{
		rank: rankDeletion, summary: s.leaf.Describe(remaining[0]) + " is not deleted",
		advice: "Destroy or apply again: it goes on from what is left. If it only takes long, allow more time in `timeouts`.",
	}
	var errs []error
	byLiqo := false
	for _, object := range remaining {
		f.evidence = append(f.evidence, fmt.Sprintf("%s is still there, %s.", s.leaf.Describe(object), held(object)))
		events, err := s.warnings(ctx, object.GetUID(), object.GetNamespace())
		f.evidence, errs = append(f.evidence, events...), append(errs, err)
		byLiqo = byLiqo || slices.ContainsFunc(object.GetFinalizers(), func(name string) bool { return strings.Contains(name, "liqo.io/") })
	}
	if slices.ContainsFunc(remaining, func(object client.Object) bool { return len(object.GetFinalizers()) > 0 }) {
		f.advice += " Leave a finalizer to the controller that set it: that one still has something to clean up."
	}
	if !byLiqo {
		return []finding{f}, errors.Join(errs...)
	}
	state, down, err := s.controllersState(ctx)
	if down {
		f.rank, f.summary = rankControllers, controllersDown
		f.advice = s.startControllers() + "\n\n" + f.advice
	}
	if state != "" {
		f.evidence = append(f.evidence, state)
	}
	return []finding{f}, errors.Join(append(errs, err)...)
}

// held says what keeps an object.
func held(object client.Object) string {
	switch {
	case leaving(object) && len(object.GetFinalizers()) > 0:
		return "held by the finalizer " + strings.Join(object.GetFinalizers(), ", ")
	case leaving(object):
		return "marked for deletion"
	case len(object.GetOwnerReferences()) > 0:
		owner := object.GetOwnerReferences()[0]
		return fmt.Sprintf("until Kubernetes notices that its owner, %s %s, is gone", owner.Kind, owner.Name)
	default:
		return "not marked for deletion"
	}
}

// remainsFindings are those of one object of any kind that is waited for to be gone. What has an owner goes after it, so the owner that is there and
// leaving is the one to look at.
func (s *side) remainsFindings(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) ([]finding, error) {
	if kind.Kind == "Namespace" {
		return s.namespaceFindings(ctx, key)
	}
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	switch err := s.leaf.Live.Get(ctx, key, object); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, s.leaf.Explain(err)
	}
	for _, owner := range object.OwnerReferences {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
		// Liqo's objects are owned within their namespace. An owner that can't be read leaves the object itself to be told of.
		findings, err := s.remainsFindings(ctx, kind, client.ObjectKey{Namespace: key.Namespace, Name: owner.Name})
		if err == nil && len(findings) > 0 {
			return findings, nil
		}
	}
	return s.deletionFindings(ctx, object)
}

// namespaceFindings tell what keeps a namespace: Kubernetes says so in its conditions.
func (s *side) namespaceFindings(ctx context.Context, key client.ObjectKey) ([]finding, error) {
	var namespace corev1.Namespace
	switch err := s.leaf.Live.Get(ctx, key, &namespace); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, s.leaf.Explain(err)
	}
	findings, err := s.deletionFindings(ctx, &namespace)
	for _, condition := range namespace.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			findings[0].evidence = append(findings[0].evidence, condition.Message)
		}
	}
	return findings, err
}
