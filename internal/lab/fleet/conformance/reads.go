package conformance

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/openapi3"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reads are the checks of lists, watches and discovery.
var reads = map[string]func(*check){
	"a list selects by labels": func(c *check) {
		c.three()
		var list corev1.ConfigMapList
		c.must(c.List(c.Context(), &list, client.InNamespace(c.namespace), some))
		if len(list.Items) != 2 || list.ResourceVersion == "" {
			c.Errorf("%d were found at version %q", len(list.Items), list.ResourceVersion)
		}
		c.must(c.List(c.Context(), &list, client.InNamespace(c.namespace), client.HasLabels{"none"}))
		if len(list.Items) != 0 {
			c.Errorf("%d were found", len(list.Items))
		}
	},
	"metadata can be read alone": func(c *check) {
		c.three()
		one := &metav1.PartialObjectMetadata{ObjectMeta: c.named("one")}
		one.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		c.must(c.Get(c.Context(), client.ObjectKeyFromObject(one), one))
		if one.Labels["kind"] != "some" || one.UID == "" {
			c.Errorf("it is %+v", one)
		}
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
		c.must(c.List(c.Context(), &list, client.InNamespace(c.namespace), some))
		if len(list.Items) != 2 {
			c.Errorf("%d were found", len(list.Items))
		}
	},
	"a watch begins with what is there, and a mark at its end": func(c *check) {
		c.three()
		c.begins("")
	},
	// A client whose watch has failed begins another one so.
	"a watch that begins again begins with what is there": func(c *check) {
		c.three()
		c.begins(c.version())
	},
	"a watch for a label sees objects come and go": func(c *check) {
		one := c.configMap("one")
		changes := c.watch(some)
		for _, kind := range []string{"some", "some", "other"} {
			one.Labels = map[string]string{"kind": kind}
			one.Data = map[string]string{"version": one.ResourceVersion}
			c.must(c.Update(c.Context(), one))
		}
		c.expect(c.watched(changes, 3), "ADDED one", "MODIFIED one", "DELETED one")
	},
	"a watch for a name sees one object": func(c *check) {
		c.three()
		changes := c.watch(client.MatchingFields{"metadata.name": "two"})
		c.expect(c.watched(changes, 1), "ADDED two")
		for _, name := range []string{"one", "two"} {
			c.must(c.Delete(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named(name)}))
		}
		c.expect(c.watched(changes, 1), "DELETED two")
	},
	"the groups of kinds are listed": func(c *check) {
		served, err := c.served.ServerGroups()
		c.must(err)
		for _, group := range []string{"", "apps", networkingv1beta1.GroupVersion.Group} {
			if !slices.ContainsFunc(served.Groups, func(one metav1.APIGroup) bool { return one.Name == group }) {
				c.Errorf("the group %q is not served", group)
			}
		}
	},
	"schemas show what Liqo can do": func(c *check) {
		root := openapi3.NewRoot(c.served.OpenAPIV3())
		document, err := root.GVSpec(networkingv1beta1.GroupVersion)
		c.must(err)
		server := document.Components.Schemas["io.liqo.networking.v1beta1.GatewayServer"]
		if server == nil || len(server.Properties["spec"].Properties) == 0 {
			c.Errorf("a GatewayServer has the schema %+v", server)
		}
	},
	// A client may have listed the objects some changes ago.
	"a watch goes on from a version": func(c *check) {
		c.three()
		from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: c.version()}}
		c.must(c.Delete(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("two")}))
		c.must(c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("four")}))
		changes := c.watch(from)
		c.must(c.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("five")}))
		c.expect(c.watched(changes, 3), "DELETED two", "ADDED four", "ADDED five")
	},
}

// three creates three objects, of which the label `kind` of the first two is `some`.
func (c *check) three() {
	c.Helper()
	for name, kind := range map[string]string{"one": "some", "two": "some", "three": "other"} {
		object := &corev1.ConfigMap{ObjectMeta: c.named(name)}
		object.Labels = map[string]string{"kind": kind}
		c.must(c.Create(c.Context(), object))
	}
}

var some = client.MatchingLabels{"kind": "some"}

// watched returns the next so many events of a watch, each as its type and the name of its object.
func (c *check) watched(changes watch.Interface, count int) []string {
	c.Helper()
	var events []string
	for range count {
		change, open := <-changes.ResultChan()
		if !open {
			c.Fatalf("the watch has ended after %v", events)
		}
		object, ok := change.Object.(client.Object)
		if !ok {
			c.Fatalf("a watch brought %v", apierrors.FromObject(change.Object))
		}
		events = append(events, string(change.Type)+" "+object.GetName())
	}
	return events
}

func (c *check) watch(options ...client.ListOption) watch.Interface {
	c.Helper()
	options = append(options, client.InNamespace(c.namespace))
	ctx, cancel := context.WithTimeout(c.Context(), longest)
	c.Cleanup(cancel)
	changes, err := c.Watch(ctx, &corev1.ConfigMapList{}, options...)
	c.must(err)
	c.Cleanup(changes.Stop)
	return changes
}

func (c *check) expect(seen []string, expected ...string) {
	c.Helper()
	if !slices.Equal(seen, expected) {
		c.Errorf("the watch brought %v, not %v", seen, expected)
	}
}

// begins watches from what is there, at this version or later.
func (c *check) begins(version string) {
	c.Helper()
	from := &client.ListOptions{Raw: &metav1.ListOptions{
		SendInitialEvents: new(true), AllowWatchBookmarks: true, Watch: true,
		ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}}
	changes := c.watch(from, some)
	seen := c.watched(changes, 3)
	slices.Sort(seen[:2])
	c.expect(seen, "ADDED one", "ADDED two", "BOOKMARK ")
	c.must(c.Delete(c.Context(), &corev1.ConfigMap{ObjectMeta: c.named("two")}))
	c.expect(c.watched(changes, 1), "DELETED two")
}

// version is that of all objects.
func (c *check) version() string {
	c.Helper()
	var list corev1.ConfigMapList
	c.must(c.List(c.Context(), &list, client.InNamespace(c.namespace)))
	return list.ResourceVersion
}
