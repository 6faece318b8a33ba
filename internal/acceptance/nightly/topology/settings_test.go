package topology

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnUnpredictedForbiddenRemappingLeavesNothingBehind(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	acctest.Apply(t, resource.TestStep{ // Liqo's IPAM has only private addresses
		Config: lab.Between("europe", acctest.OverNodePort+"\n"+`cidr_remapping = "forbid"`),
		ExpectError: regexp.MustCompile(
			`(?s)Remapping is forbidden, and needed on leaf "rome".*100\.64\.0\.0/16\s+of\s+"europe"`,
		),
	})
}
