package acceptance

import (
	"fmt"
	"os"
	"testing"
)

func TestAccRunbookOfAnotherAddressOfAnAPIServerHasAnEmptyPlan(t *testing.T) {
	lab := borrowLab(t)
	milan := lab.credentials(t, "milan")
	kubeconfig, err := os.ReadFile(lab.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := "https://" + newRelay(t, milan.server, 1).address
	p := lab.stateIn(t, "address", `provider "liqo" { config_path = "kubeconfig" }`+shortcutRomeMilan)
	destroyAtLast(p)
	p.write("kubeconfig", string(kubeconfig))
	p.apply()
	networks := lab.networks(t)

	p.replaceIn("kubeconfig", milan.server, elsewhere)
	p.unchanged()

	for _, host := range []string{milan.server, elsewhere} {
		p.configure(lab.listing(fmt.Sprintf(
			"milan = { host = %q, token = %q, cluster_ca_certificate = %q }", host, milan.token, milan.ca,
		)) + shortcutRomeMilan)
		p.unchanged()
	}
	lab.sameNetworks(t, networks)
}
