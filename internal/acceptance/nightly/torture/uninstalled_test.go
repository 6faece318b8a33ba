package torture

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTortureOfALeafWithoutLiqoCanBeGivenUp(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)
	before := of(t, lab, "rome")
	p := lab.NewProject(t, t.TempDir())
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort))
	p.Apply()
	uninstallLiqo(t, lab, "milan")
	acctest.Says(t, p.Run("plan"), `Warning: The API server does not know a kind that Liqo installs on leaf "milan"`,
		"Install Liqo on this leaf", "No changes.")
	acctest.Says(t, p.Refused("destroy", "-auto-approve"),
		`Error: The API server does not know a kind that Liqo installs on leaf "milan"`, "force_destroy = true")
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort+"\nforce_destroy = true"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	acctest.Says(t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", "1 destroyed")
	if after := of(t, lab, "rome"); after != before {
		t.Errorf("before the shortcut, Rome had:\n%s\nNow it has:\n%s", before, after)
	}
}

// of returns the inventory of one cluster.
func of(t *testing.T, l *acctest.Lab, name string) string {
	t.Helper()
	all, err := l.Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range all {
		if strings.HasPrefix(line, name+" ") || strings.HasPrefix(line, name+":") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// uninstallLiqo stops Liqo's controllers and deletes all its kinds with all objects. Nobody removes the finalizers.
func uninstallLiqo(t *testing.T, l *acctest.Lab, name string) {
	t.Helper()
	l.Command(t, "set", name, "liqo=stopped")
	c := l.Administrator(t, name)
	kinds := &unstructured.UnstructuredList{}
	kinds.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinitionList",
	})
	changes, err := c.Watch(t.Context(), kinds.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	if err := c.List(t.Context(), kinds); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for i := range kinds.Items {
		if kind := &kinds.Items[i]; strings.HasSuffix(kind.GetName(), ".liqo.io") {
			withoutFinalizers(t, c, kind)
			if err := c.Delete(t.Context(), kind); err != nil {
				t.Fatal(err)
			}
			left[kind.GetName()] = true
		}
	}
	for change := range changes.ResultChan() {
		if kind, ok := change.Object.(client.Object); ok && change.Type == watch.Deleted {
			delete(left, kind.GetName())
		}
		if len(left) == 0 {
			return
		}
	}
	t.Fatalf("these kinds are left: %v", left)
}

// withoutFinalizers removes the finalizers of all objects of a kind.
func withoutFinalizers(t *testing.T, c client.Client, kind *unstructured.Unstructured) {
	t.Helper()
	text := func(path ...string) string {
		found, _, err := unstructured.NestedString(kind.Object, path...)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	versions, _, err := unstructured.NestedStringSlice(kind.Object, "status", "storedVersions")
	if err != nil {
		t.Fatal(err)
	}
	version := schema.GroupVersion{Group: text("spec", "group"), Version: versions[0]}
	objects := &metav1.PartialObjectMetadataList{}
	objects.SetGroupVersionKind(version.WithKind(text("spec", "names", "listKind")))
	if err := c.List(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	for i := range objects.Items {
		objects.Items[i].SetGroupVersionKind(version.WithKind(text("spec", "names", "kind")))
		if err := client.IgnoreNotFound(c.Patch(t.Context(), &objects.Items[i], none)); err != nil {
			t.Fatal(err)
		}
	}
}
