package conformance

import (
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func createOnce(c *check) {
	c.must(c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("one")}))
	if err := c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("one")}); !apierrors.IsAlreadyExists(err) {
		c.Error(err)
	}
}

func createNowhere(c *check) {
	nowhere := metav1.ObjectMeta{Namespace: c.namespace + "-none", Name: "one"}
	if err := c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: nowhere}); !apierrors.IsNotFound(err) {
		c.Error(err)
	}
}

func updateOldVersion(c *check) {
	one := &corev1.ConfigMap{ObjectMeta: c.named("one")}
	c.must(c.Create(c.Context(), one))
	old := one.DeepCopy()
	one.Data = map[string]string{"a": "1"}
	c.must(c.Update(c.Context(), one))
	old.Data = map[string]string{"a": "2"}
	if err := c.Update(c.Context(), old); !apierrors.IsConflict(err) {
		c.Error(err)
	}
	if one.UID != old.UID || one.ResourceVersion == old.ResourceVersion {
		c.Errorf("it was %s at %s, and is %s at %s", old.UID, old.ResourceVersion, one.UID, one.ResourceVersion)
	}
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

func countGenerations(c *check) {
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
}

func writeStatus(c *check) {
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

func applyTwice(c *check) {
	first, err := c.apply("us", map[string]string{"a": "1"})
	c.must(err)
	second, err := c.apply("us", map[string]string{"a": "1"})
	c.must(err)
	if first.GetResourceVersion() != second.GetResourceVersion() {
		c.Errorf("version %s became %s", first.GetResourceVersion(), second.GetResourceVersion())
	}
}

func applyAnothers(c *check) {
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
}

func applyLess(c *check) {
	_, err := c.apply("us", map[string]string{"a": "1", "b": "1"})
	c.must(err)
	less, err := c.apply("us", map[string]string{"a": "1"})
	c.must(err)
	if _, still := less.GetLabels()["b"]; still {
		c.Errorf("it has the labels %v", less.GetLabels())
	}
}

func mergePatch(c *check) {
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
}
