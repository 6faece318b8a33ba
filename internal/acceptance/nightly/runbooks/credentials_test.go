package runbooks

import (
	"fmt"
	"os"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccRunbookOfAnotherAddressOfAnAPIServerHasAnEmptyPlan(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	milan := lab.Credentials(t, "milan")
	kubeconfig, err := os.ReadFile(lab.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := "https://" + acctest.NewRelay(t, milan.Server, 1).Address
	p := lab.StateIn(t, "address", `provider "liqo" { config_path = "kubeconfig" }`+acctest.ShortcutRomeMilan)
	acctest.DestroyAtLast(p)
	p.Write("kubeconfig", string(kubeconfig))
	p.Apply()
	networks := lab.Networks(t)

	p.ReplaceIn("kubeconfig", milan.Server, elsewhere)
	p.Unchanged()

	for _, host := range []string{milan.Server, elsewhere} {
		p.Configure(lab.Listing(fmt.Sprintf(
			"milan = { host = %q, token = %q, cluster_ca_certificate = %q }", host, milan.Token, milan.CA,
		)) + acctest.ShortcutRomeMilan)
		p.Unchanged()
	}
	lab.SameNetworks(t, networks)
}
