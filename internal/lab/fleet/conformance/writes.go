package conformance

import (
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deletions are the checks of what goes, and when.
var deletions = map[string]func(*check){
	"a deletion has preconditions": func(c *check) {
		one := c.configMap("one")
		other := types.UID("another")
		c.refuses(c.Delete(c.Context(), one, client.Preconditions{UID: &other}), apierrors.IsConflict)
		old := one.ResourceVersion
		one.Data = map[string]string{"a": "1"}
		c.must(c.Update(c.Context(), one))
		c.refuses(c.Delete(c.Context(), one, client.Preconditions{ResourceVersion: &old}), apierrors.IsConflict)
		c.must(c.Delete(c.Context(), one, client.Preconditions{UID: &one.UID, ResourceVersion: &one.ResourceVersion}))
		c.refuses(c.Delete(c.Context(), one), apierrors.IsNotFound)
	},
	"an object with a finalizer waits for it": func(c *check) {
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
		c.refuses(c.Get(c.Context(), client.ObjectKeyFromObject(one), one), apierrors.IsNotFound)
	},
	"a namespace goes with what it contains": func(c *check) {
		one := c.configMap("one")
		terminating := false
		c.deleteOwnNamespace(func(namespace *corev1.Namespace) {
			terminating = terminating || namespace.Status.Phase == corev1.NamespaceTerminating
		})
		if err := c.Get(c.Context(), client.ObjectKeyFromObject(one), one); !terminating || !apierrors.IsNotFound(err) {
			c.Errorf("it was terminating: %t; what it contained: %v", terminating, err)
		}
	},
	"a namespace waits for the finalizers in it, and says so": func(c *check) {
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
	},
	"what an object owns goes with it": func(c *check) {
		var owners []*corev1.ConfigMap
		var references []metav1.OwnerReference
		for _, name := range []string{"first", "second"} {
			owner := c.configMap(name)
			owners = append(owners, owner)
			references = append(references,
				metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: owner.UID})
		}
		for name, owned := range map[string][]metav1.OwnerReference{"one": references[:1], "two": references} {
			object := &corev1.Secret{ObjectMeta: c.named(name)}
			object.OwnerReferences = owned
			c.must(c.Create(c.Context(), object))
		}
		c.must(c.Delete(c.Context(), owners[0]))
		c.awaitGone(&corev1.SecretList{}, "one")
		left := &corev1.Secret{}
		c.must(c.Get(c.Context(), client.ObjectKey{Namespace: c.namespace, Name: "two"}, left)) // it has another owner
		c.must(c.Delete(c.Context(), owners[1]))
		c.awaitGone(&corev1.SecretList{}, "two")
	},
}

// writes are the checks of what a write does.
var writes = map[string]func(*check){
	"a create that is repeated is refused": func(c *check) {
		c.must(c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("one")}))
		c.refuses(c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("one")}), apierrors.IsAlreadyExists)
	},
	"an object in no namespace is refused": func(c *check) {
		nowhere := metav1.ObjectMeta{Namespace: c.namespace + "-none", Name: "one"}
		c.refuses(c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: nowhere}), apierrors.IsNotFound)
	},
	"an update of an old version is refused": func(c *check) {
		one := c.configMap("one")
		old := one.DeepCopy()
		one.Data = map[string]string{"a": "1"}
		c.must(c.Update(c.Context(), one))
		old.Data = map[string]string{"a": "2"}
		c.refuses(c.Update(c.Context(), old), apierrors.IsConflict)
		if one.UID != old.UID || one.ResourceVersion == old.ResourceVersion {
			c.Errorf("it was %s at %s, and is %s at %s", old.UID, old.ResourceVersion, one.UID, one.ResourceVersion)
		}
	},
	"only a change of the spec counts as a generation": func(c *check) {
		one := c.connection()
		one.Labels = map[string]string{"a": "1"}
		c.must(c.Update(c.Context(), one))
		if one.Generation != 1 {
			c.Errorf("with another label, it is generation %d", one.Generation)
		}
		one.Spec.Type = networkingv1beta1.ConnectionTypeServer
		c.must(c.Update(c.Context(), one))
		if one.Generation != 2 {
			c.Errorf("with another spec, it is generation %d", one.Generation)
		}
	},
	"a status is written apart": func(c *check) {
		one := c.connection()
		if one.Status.Value != "" {
			c.Errorf("a create has set the status %s", one.Status.Value)
		}
		one.Status.Value = networkingv1beta1.Connected
		one.Spec.Type = networkingv1beta1.ConnectionTypeServer
		c.must(c.Status().Update(c.Context(), one))
		if one.Status.Value != networkingv1beta1.Connected || one.Spec.Type != networkingv1beta1.ConnectionTypeClient {
			c.Errorf("an update of the status has written %+v and %+v", one.Spec, one.Status)
		}
		one.Status.Value = networkingv1beta1.ConnectionError
		c.must(c.Update(c.Context(), one))
		if one.Status.Value != networkingv1beta1.Connected {
			c.Errorf("an update has written the status %s", one.Status.Value)
		}
		// The provider reads there when Liqo has reported for the last time.
		if !slices.ContainsFunc(one.ManagedFields, func(m metav1.ManagedFieldsEntry) bool {
			return m.Subresource == "status" && m.Time != nil
		}) {
			c.Errorf("nothing says when the status was written: %v", one.ManagedFields)
		}
	},
	"an apply that changes nothing is not a new version": func(c *check) {
		first, err := c.apply("us", map[string]string{"a": "1"})
		c.must(err)
		second, err := c.apply("us", map[string]string{"a": "1"})
		c.must(err)
		if first.GetResourceVersion() != second.GetResourceVersion() {
			c.Errorf("version %s became %s", first.GetResourceVersion(), second.GetResourceVersion())
		}
	},
	"an apply of another's field is refused unless it is forced": func(c *check) {
		_, err := c.apply("them", map[string]string{"a": "1", "b": "1"})
		c.must(err)
		if _, err := c.apply("us", map[string]string{"a": "2"}); !apierrors.IsConflict(err) {
			c.Fatal(err)
		}
		forced, err := c.apply("us", map[string]string{"a": "2"}, client.ForceOwnership)
		c.must(err)
		if labels := forced.GetLabels(); labels["a"] != "2" || labels["b"] != "1" {
			c.Errorf("it has the labels %v", labels)
		}
	},
	"a field that is no longer applied goes": func(c *check) {
		_, err := c.apply("us", map[string]string{"a": "1", "b": "1"})
		c.must(err)
		less, err := c.apply("us", map[string]string{"a": "1"})
		c.must(err)
		if _, still := less.GetLabels()["b"]; still {
			c.Errorf("it has the labels %v", less.GetLabels())
		}
	},
	"a merge patch changes what it names": func(c *check) {
		one := &corev1.ConfigMap{ObjectMeta: c.named("one"), Data: map[string]string{"a": "1", "b": "1"}}
		c.must(c.Create(c.Context(), one))
		changed := one.DeepCopy()
		changed.Data = map[string]string{"a": "2", "c": "1"}
		c.must(c.Patch(c.Context(), changed, client.MergeFrom(one)))
		if len(changed.Data) != 2 || changed.Data["a"] != "2" || changed.Data["c"] != "1" {
			c.Errorf("it has %v", changed.Data)
		}
		gone := &corev1.ConfigMap{ObjectMeta: c.named("gone")}
		err := c.Patch(c.Context(), gone, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"a":"1"}}`)))
		if !apierrors.IsNotFound(err) {
			c.Error(err)
		}
	},
}

// connection creates an object that no controller touches.
func (c *check) connection() *networkingv1beta1.Connection {
	c.Helper()
	one := &networkingv1beta1.Connection{
		ObjectMeta: c.named("one"), Spec: networkingv1beta1.ConnectionSpec{Type: networkingv1beta1.ConnectionTypeClient},
		Status: networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connecting},
	}
	c.must(c.Create(c.Context(), one))
	return one
}

// apply applies labels of a ConfigMap, and returns it.
func (c *check) apply(owner string, labels map[string]string, options ...client.ApplyOption) (
	*unstructured.Unstructured, error,
) {
	c.Helper()
	one := &unstructured.Unstructured{}
	one.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	one.SetNamespace(c.namespace)
	one.SetName("one")
	one.SetLabels(labels)
	options = append(options, client.FieldOwner(owner))
	return one, c.Apply(c.Context(), client.ApplyConfigurationFromUnstructured(one), options...)
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
