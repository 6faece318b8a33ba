package conformance

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func deleteOnCondition(c *check) {
	one := &corev1.ConfigMap{ObjectMeta: c.named("one")}
	c.must(c.Create(c.Context(), one))
	other := types.UID("another")
	if err := c.Delete(c.Context(), one, client.Preconditions{UID: &other}); !apierrors.IsConflict(err) {
		c.Error(err)
	}
	old := one.ResourceVersion
	one.Data = map[string]string{"a": "1"}
	c.must(c.Update(c.Context(), one))
	if err := c.Delete(c.Context(), one, client.Preconditions{ResourceVersion: &old}); !apierrors.IsConflict(err) {
		c.Error(err)
	}
	c.must(c.Delete(c.Context(), one, client.Preconditions{UID: &one.UID, ResourceVersion: &one.ResourceVersion}))
	if err := c.Delete(c.Context(), one); !apierrors.IsNotFound(err) {
		c.Error(err)
	}
}

func deleteWithFinalizer(c *check) {
	one := &corev1.ConfigMap{ObjectMeta: c.named("one")}
	one.Finalizers = []string{"conformance/wait"}
	c.must(c.Create(c.Context(), one))
	c.must(c.Delete(c.Context(), one))
	c.must(c.Get(c.Context(), client.ObjectKeyFromObject(one), one))
	if one.DeletionTimestamp == nil {
		c.Error("it is not being deleted")
	}
	one.Finalizers = nil
	c.must(c.Update(c.Context(), one))
	if err := c.Get(c.Context(), client.ObjectKeyFromObject(one), one); !apierrors.IsNotFound(err) {
		c.Error(err)
	}
}

// deleteOwnNamespace deletes the namespace of a check, and calls a function with all that a watch then shows of it.
func (c *check) deleteOwnNamespace(see func(*corev1.Namespace)) {
	c.Helper()
	changes, err := c.Watch(c.Context(), &corev1.NamespaceList{}, client.MatchingFields{"metadata.name": c.namespace})
	c.must(err)
	defer changes.Stop()
	c.must(c.Delete(c.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}}))
	for change := range changes.ResultChan() {
		namespace, ok := change.Object.(*corev1.Namespace)
		if !ok {
			c.Fatalf("a watch brought %#v", change.Object)
		}
		if see(namespace); change.Type == watch.Deleted {
			return
		}
	}
}

func deleteNamespace(c *check) {
	one := &corev1.ConfigMap{ObjectMeta: c.named("one")}
	c.must(c.Create(c.Context(), one))
	terminating := false
	c.deleteOwnNamespace(func(namespace *corev1.Namespace) {
		terminating = terminating || namespace.Status.Phase == corev1.NamespaceTerminating
	})
	if err := c.Get(c.Context(), client.ObjectKeyFromObject(one), one); !terminating || !apierrors.IsNotFound(err) {
		c.Errorf("it was terminating: %t; what it contained: %v", terminating, err)
	}
}

func deleteHeldNamespace(c *check) {
	const finalizer = "conformance/wait"
	one := &corev1.ConfigMap{ObjectMeta: c.named("one")}
	one.Finalizers = []string{finalizer}
	c.must(c.Create(c.Context(), one))
	holds := func(condition corev1.NamespaceCondition) bool {
		return condition.Type == corev1.NamespaceFinalizersRemaining && condition.Status == corev1.ConditionTrue &&
			strings.HasSuffix(condition.Message, finalizer+" in 1 resource instances")
	}
	held := false
	c.deleteOwnNamespace(func(namespace *corev1.Namespace) {
		if !held && slices.ContainsFunc(namespace.Status.Conditions, holds) {
			held = true
			c.must(c.Get(c.Context(), client.ObjectKeyFromObject(one), one))
			one.Finalizers = nil
			c.must(c.Update(c.Context(), one))
		}
	})
	if !held {
		c.Error("it did not wait")
	}
}

func deleteOwner(c *check) {
	var owners []*corev1.ConfigMap
	var references []metav1.OwnerReference
	for _, name := range []string{"first", "second"} {
		owner := &corev1.ConfigMap{ObjectMeta: c.named(name)}
		c.must(c.Create(c.Context(), owner))
		owners = append(owners, owner)
		references = append(references,
			metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: owner.UID})
	}
	for name, owned := range map[string][]metav1.OwnerReference{"one": references[:1], "two": references} {
		object := &corev1.Secret{ObjectMeta: c.named(name)}
		object.OwnerReferences = owned
		c.must(c.Create(c.Context(), object))
	}
	gone := func(_ *corev1.Secret, gone bool) bool { return gone }
	until(c, &corev1.SecretList{}, "one", func() error { return c.Delete(c.Context(), owners[0]) }, gone)
	left := &corev1.Secret{}
	c.must(c.Get(c.Context(), client.ObjectKey{Namespace: c.namespace, Name: "two"}, left)) // it has another owner
	until(c, &corev1.SecretList{}, "two", func() error { return c.Delete(c.Context(), owners[1]) }, gone)
}
