package peerings

import (
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Europe and Rome have the same pod CIDR, so Europe remaps Rome's.
func TestAccPacketsToAServiceTakeTheShortcut(t *testing.T) {
	lab := acctest.WithPods(t, acctest.UseUp(t, []string{
		"--dataplane=real", "--peer=europe=rome", "--peer=europe=milan",
		"--cluster=europe=10.202.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
	}))
	shop := openShop(t, lab.Lab, "milan")
	service := acctest.WebService()
	acctest.Must(t, lab.Client(t, "rome").Get(t.Context(), client.ObjectKeyFromObject(service), service))
	url := "http://" + service.Spec.ClusterIP // the Service in Rome, which has no pod there
	const delay = 20.0                        // milliseconds
	for _, pair := range [][2]string{{"europe", "rome"}, {"europe", "milan"}, {"rome", "milan"}} {
		lab.Link(t, pair[0], pair[1])(fmt.Sprintf("--delay=%vms", delay))
	}
	// Rome's pod asks the Service five times, as soon as Rome's node leads it anywhere. Milan's pod must answer.
	fastest := func() float64 {
		t.Helper()
		lab.Probe(t, "http", "rome", url, "--until-answer", "--count=300", "--timeout=300ms")
		result := lab.Probe(t, "http", "rome", url, "--count=5", "--interval=20ms", "--timeout=5s")
		if result.Lost > 0 || result.Answer.Name != "milan/shop/web-milan" {
			t.Fatalf("the Service does not answer from Milan: %+v", result)
		}
		return result.Min
	}
	through := fastest()

	p := lab.NewProject(t, t.TempDir())
	acctest.DestroyAtLast(p)
	p.Write("main.tf", lab.Contexts(acctest.ShortcutRomeMilan+`
		resource "liqo_direct_service" "web" {
		  cluster    = "europe"
		  namespace  = "shop"
		  name       = "web"
		  depends_on = [liqo_shortcut.rome_milan]
		}`))
	p.Apply()
	shop.leads(t, "rome", "web-milan", directly)
	over := fastest()

	// A request is a way there and back for the connection, and another one for the answer.
	if through < 8*delay || over < 4*delay || over >= through {
		t.Errorf("with %v ms for each link, the fastest answers took %v ms and %v ms", delay, through, over)
	}
	t.Logf("HTTP from a pod in Rome to the Service, whose pod is in Milan, with %v ms for each link, the fastest of "+
		"five:\nthrough the central cluster  %.1f ms\nover the shortcut   %.1f ms", delay, through, over)

	p.Run("destroy", "-auto-approve")
	if again := fastest(); again < 8*delay {
		t.Errorf("after the destroy, the fastest answer took %v ms", again)
	}

	t.Log("Europe reaches the pods of Rome at other addresses than their own.")
	shop.runs(t, "rome")
	shop.leads(t, "milan", "web-rome", centrally)
	p.Run("apply", "-auto-approve", "-target", "liqo_shortcut.rome_milan")
	expected := []string{
		`Leaf "milan" can't use direct connections`,
		`The central cluster, "europe", reaches the pods of "rome" at other addresses`,
		"it remaps 10.202.0.0/16 to 10.", "Liqo 1.2.0 can't translate these addresses", `Give "rome" a pod CIDR`,
	}
	acctest.Says(t, p.Run("plan"), expected...)
	acctest.Says(t, p.Run("apply", "-auto-approve"), expected...)
	acctest.Says(t, p.Run("state", "show", webDirect), `status = "Partial"`, `path = "Central"`, `path = "Direct"`)
}
