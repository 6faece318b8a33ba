package runbooks

import (
	"os"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccRunbookOfAnotherAddressOfAnAPIServerHasAnEmptyPlan(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	milan := lab.ReachedAsAdministrator(t, "milan")["milan"]
	kubeconfig, err := os.ReadFile(lab.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := "https://" + acctest.NewRelay(t, milan.Host, 1).Address
	p := lab.StateIn(t, "address", `provider "liqo" { config_path = "kubeconfig" }`+acctest.ShortcutRomeMilan)
	acctest.DestroyAtLast(p)
	p.Write("kubeconfig", string(kubeconfig))
	p.Apply()
	networks := lab.Networks(t)

	p.ReplaceIn("kubeconfig", milan.Host, elsewhere)
	p.Unchanged()

	for _, host := range []string{milan.Host, elsewhere} {
		at := acctest.Leaf{Host: host, ClusterCACertificate: milan.ClusterCACertificate, Token: milan.Token}
		p.Configure(lab.Listing("milan = "+at.Entry()) + acctest.ShortcutRomeMilan)
		p.Unchanged()
	}
	lab.SameNetworks(t, networks)
}
