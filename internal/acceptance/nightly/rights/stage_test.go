package rights

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// ownNamespace is the namespace of a shortcut on both leaves. It stays, so a destroy takes a second instead of the many
// that Kubernetes needs to delete a namespace.
const ownNamespace = "own-namespace"

// stage is a lab on which users with different rights work on the same shortcut.
type stage struct {
	lab           *acctest.Lab
	administrator *shortcut.Shortcut
}

// join connects to the leaves with these credentials.
func (s *stage) join(t *testing.T, leaves map[string]acctest.Leaf) (*shortcut.Shortcut, error) {
	t.Helper()
	registry := acctest.RegistryOf(t, leaves)
	rome, err := registry.Leaf(t.Context(), "rome")
	if err != nil {
		return nil, err
	}
	milan, err := registry.Leaf(t.Context(), "milan")
	if err != nil {
		return nil, err
	}
	return shortcut.New(rome, milan).OwnedBy(owner.Owner{Token: "rights"}), nil
}

// refuses lets an account without a right try something that needs it. The error must say which right, and where.
func (s *stage) refuses(t *testing.T, use use, taken acctest.Right, accounts map[string]acctest.Leaf) {
	t.Helper()
	if use.prepare != nil {
		use.prepare(t, s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(use.limit, acctest.TimeToHappen))
	defer cancel()
	leaves := maps.Clone(accounts)
	for name, one := range leaves {
		if use.fault != nil {
			var between *clustertest.Proxy
			between, leaves[name] = acctest.ProxyFor(t, one)
			between.Disturb(use.fault)
		}
	}
	limited, err := s.join(t, leaves)
	if err == nil && use.do != nil {
		err = use.do(ctx, limited)
	}
	if use.degraded != nil {
		use.degraded(t, err)
		return
	}
	text := explain.Summary(err) + "\n" + explain.Detail(err)
	if !strings.Contains(text, "o permission to "+taken.Verb+" "+taken.Resource+" on leaf ") &&
		!strings.Contains(text, "o permission to "+taken.Verb+" "+taken.Resource+":") {
		t.Errorf("the error is: %s", text)
	}
}

// remove removes the shortcut, whatever is left of it.
func (s *stage) remove(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	if err := s.administrator.Disconnect(ctx, shortcut.Removal{}); err != nil {
		t.Fatal(err)
	}
}

// create creates the shortcut, or changes what exists of it.
func (s *stage) create(t *testing.T, spec shortcut.Spec) {
	t.Helper()
	if err := s.administrator.Connect(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
}

// hold lets the deletion of all objects of a kind in a namespace wait until the end of the test.
func (s *stage) hold(t *testing.T, leaf, namespace string, kind client.ObjectList) {
	t.Helper()
	c := s.lab.Administrator(t, leaf)
	if err := c.List(t.Context(), kind, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	objects, err := meta.ExtractList(kind)
	if err != nil {
		t.Fatal(err)
	}
	const finalizer = "example.com/held"
	edit := func(object client.Object, change func(client.Object, string) bool) error {
		before := object.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its type
		change(object, finalizer)
		return c.Patch(context.WithoutCancel(t.Context()), object, client.MergeFrom(before))
	}
	for _, object := range objects {
		object := object.(client.Object) //nolint:errcheck,forcetypeassert // a list has objects
		if err := edit(object, controllerutil.AddFinalizer); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			err := c.Get(context.WithoutCancel(t.Context()), client.ObjectKeyFromObject(object), object)
			if err == nil {
				err = edit(object, controllerutil.RemoveFinalizer)
			}
			if client.IgnoreNotFound(err) != nil {
				t.Error(err)
			}
		})
	}
}
