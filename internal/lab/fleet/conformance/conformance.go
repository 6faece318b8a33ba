// Package conformance shows that a leaf of a fleet answers as a real cluster does. A test runs the same checks on
// both.
package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// Check checks the cluster that a configuration leads to. It must have Liqo. What it creates there is gone at its end.
func Check(t *testing.T, config *rest.Config) {
	t.Helper()
	config = rest.CopyConfig(config)
	config.QPS = -1
	objects, err := client.NewWithWatch(config, client.Options{Scheme: kube.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, checks := range []map[string]func(*check){writes, deletions, reads, ofLiqo} {
		for name, do := range checks {
			t.Run(name, func(t *testing.T) { do(newCheck(t, objects, served)) })
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), longest) // a cluster takes some time to delete what they contain
	defer cancel()
	var namespaces corev1.NamespaceList
	if err := objects.List(ctx, &namespaces, client.HasLabels{checkLabel}); err != nil {
		t.Fatal(err)
	}
	if err := kube.AwaitDeleted(ctx, objects, &namespaces, client.HasLabels{checkLabel}); err != nil {
		t.Fatal(err)
	}
}

// checkLabel is on the namespace of each check.
const checkLabel = "liqo-lab/check"

// check is one check of a cluster, in a namespace of its own.
type check struct {
	*testing.T
	client.WithWatch

	served    discovery.DiscoveryInterface
	namespace string
}

// newCheck creates a tenant namespace for a check. Its name is also the ID of the remote cluster.
func newCheck(t *testing.T, objects client.WithWatch, served discovery.DiscoveryInterface) *check {
	t.Helper()
	c := &check{t, objects, served, names.SimpleNameGenerator.GenerateName("conformance-")}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: c.namespace,
		Labels: map[string]string{
			consts.RemoteClusterID: c.namespace, consts.TenantNamespaceLabel: "true", checkLabel: "",
		},
	}}
	c.must(c.Create(c.Context(), namespace))
	c.Cleanup(func() { c.must(client.IgnoreNotFound(c.Delete(context.WithoutCancel(c.Context()), namespace))) })
	return c
}

// named returns the metadata of an object in the namespace.
func (c *check) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: c.namespace, Name: name}
}

// must fails the test if there is an error.
func (c *check) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// refuses fails the test unless an error is of a kind.
func (c *check) refuses(err error, is func(error) bool) {
	c.Helper()
	if !is(err) {
		c.Error(err)
	}
}

// configMap creates an object without a controller and without a spec.
func (c *check) configMap(name string) *corev1.ConfigMap {
	c.Helper()
	one := &corev1.ConfigMap{ObjectMeta: c.named(name)}
	c.must(c.Create(c.Context(), one))
	return one
}

// longest is how long the events of a watch, or a reaction of Liqo, may take.
const longest = 30 * time.Second

// await returns an object of the namespace once it is as expected.
func await[T client.Object](c *check, one T, done func(T) bool) (seen T) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), longest)
	defer cancel()
	c.must(kube.Await(ctx, c.WithWatch, one, func(now T) bool {
		seen = now
		return done(now)
	}, c.only(one.GetName())...))
	return seen
}

// awaitGone returns when an object of the list's kind in the namespace is gone.
func (c *check) awaitGone(list client.ObjectList, name string) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), longest)
	defer cancel()
	c.must(c.List(ctx, list, c.only(name)...))
	c.must(kube.AwaitDeleted(ctx, c.WithWatch, list, c.only(name)...))
}

// only selects one object of the namespace.
func (c *check) only(name string) []client.ListOption {
	return []client.ListOption{client.InNamespace(c.namespace), client.MatchingFields{"metadata.name": name}}
}
