package pair

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccUnknownRangesChangeInPlace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	announced := func(podCIDR, externalCIDR string) string {
		return fmt.Sprintf(`
			resource "terraform_data" "pods" { input = %q }
			resource "terraform_data" "external" { input = %q }
			`, podCIDR, externalCIDR) + lab.Between("milan", acctest.OverNodePort+`
			client_network = { pod_cidrs = [terraform_data.pods.output] }
			server_network = { external_cidr = terraform_data.external.output }`)
	}
	p := lab.Written(t, announced("10.202.0.0/17", "10.70.0.0/17"))
	p.Apply()
	p.Write("main.tf", announced("10.202.128.0/17", "10.70.0.0/18"))
	p.Apply()
	acctest.Says(
		t, p.Run("state", "show", acctest.RomeMilan), `status = "Connected"`, `remapped_pod_cidrs = [ "10.202.128.0/17", ]`,
		`external_cidr = "10.70.0.0/18"`)
}
