package torture

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccALeafThatSwallowsPacketsDelaysAPlanOnceAndCanBeGivenUp(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort+"\nabandon_lost_cluster = true"))
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections, and nobody answers
	acctest.Must(t, err)
	t.Cleanup(func() { silent.Close() })
	p.ReplaceIn("main.tf", fmt.Sprintf("config_path = %q", lab.Kubeconfig), fmt.Sprintf(
		"config_path = %q\n  clusters = { milan = { host = \"https://%s\" } }", lab.Kubeconfig, silent.Addr()))
	p.Write("data.tf", `data "liqo_cluster" "rome" { name = "rome" }`)
	began := time.Now()
	acctest.Says(t, p.Run("plan"), `Warning: The API server did not answer in time on leaf "milan"`, "No changes.")
	if took := time.Since(began); took > time.Minute { // one dial takes ten seconds
		t.Errorf("the plan took %s", took)
	}
	acctest.Says(t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", "1 destroyed")
	// Only Milan still has objects. They are imported, and a destroy removes them.
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort))
	p.Run("import", acctest.RomeMilan, "rome/milan")
}

func TestAccTortureOfALeafWithoutLiqoCanBeGivenUp(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)
	ofRome := func() []string {
		all, err := lab.Inventory(t.Context())
		acctest.Must(t, err)
		return slices.DeleteFunc(all, func(line string) bool {
			return !strings.HasPrefix(line, "rome ") && !strings.HasPrefix(line, "rome:")
		})
	}
	before := ofRome()
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort))
	uninstallLiqo(t, lab, "milan")
	acctest.Says(t, p.Run("plan"), `Warning: The API server does not know a kind that Liqo installs on leaf "milan"`,
		"Install Liqo on this leaf", "No changes.")
	acctest.Says(t, p.Refused("destroy", "-auto-approve"),
		`Error: The API server does not know a kind that Liqo installs on leaf "milan"`, "abandon_lost_cluster = true")
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort+"\nabandon_lost_cluster = true"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	acctest.Says(t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", "1 destroyed")
	if after := ofRome(); !slices.Equal(after, before) {
		t.Errorf("before the shortcut, Rome had:\n%q\nNow it has:\n%q", before, after)
	}
}

// uninstallLiqo stops Liqo's controllers and deletes all its kinds with all objects. Nobody else removes the
// finalizers.
func uninstallLiqo(t *testing.T, l *acctest.Lab, name string) {
	t.Helper()
	listOf := func(group, version, kind string) *unstructured.UnstructuredList {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
		return list
	}
	l.Command(t, "set", name, "liqo=stopped")
	c, kinds := l.Client(t, name), listOf("apiextensions.k8s.io", "v1", "CustomResourceDefinitionList")
	acctest.Must(t, c.List(t.Context(), kinds))
	for i := range kinds.Items {
		kind := &kinds.Items[i]
		var of struct {
			Spec struct {
				Group string `json:"group"`
				Names struct {
					ListKind string `json:"listKind"`
				} `json:"names"`
			} `json:"spec"`
			Status struct {
				StoredVersions []string `json:"storedVersions"`
			} `json:"status"`
		}
		acctest.Must(t, apiruntime.DefaultUnstructuredConverter.FromUnstructured(kind.Object, &of))
		if !strings.HasSuffix(of.Spec.Group, "liqo.io") {
			continue
		}
		objects := listOf(of.Spec.Group, of.Status.StoredVersions[0], of.Spec.Names.ListKind)
		acctest.Must(t, c.List(t.Context(), objects))
		for i := range objects.Items {
			acctest.Must(t, client.IgnoreNotFound(c.Patch(t.Context(), &objects.Items[i],
				client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))))
		}
		gone := l.Gone(t, name, listOf("apiextensions.k8s.io", "v1", "CustomResourceDefinitionList"),
			client.MatchingFields{"metadata.name": kind.GetName()})
		acctest.Must(t, c.Delete(t.Context(), kind))
		<-gone
	}
}
