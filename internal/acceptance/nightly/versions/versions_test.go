package versions

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// oldAndNew has the options of a lab in which Rome has the oldest Liqo, and Milan the newest one.
var oldAndNew = []string{"--cluster=rome=10.202.0.0/16,liqo=" + oldestLiqo, "--cluster=milan=10.203.0.0/16"}

func TestAccMissingObjectsAreRepairedInPlaceWithTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	lab.Repaired(t, lab.MissingObjects(t)...)
}

func TestAccTheOldestLiqoCanBeTheServerOfTheNewest(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	from := func(settings string) string {
		return lab.Contexts(`
			data "liqo_topology" "all" {}
			resource "liqo_shortcut" "rome_milan" {
			  client = "milan"
			  server = "rome"
			  ` + settings + `
			}`)
	}
	serves := func(port string) string {
		return `server_gateway = { service_type = "NodePort", node_port = ` + port + ` }` + "\n"
	}
	nodes := tfjsonpath.New("nodes")
	part := func(network string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(acctest.RomeMilan, tfjsonpath.New(network).AtMapKey("remapped_pod_cidrs"),
			knownvalue.ListSizeExact(1))
	}
	acctest.Apply(t,
		resource.TestStep{
			Config: from(serves("31000")),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, "milan", "rome"),
				statecheck.ExpectKnownValue("data.liqo_topology.all", nodes.AtSliceIndex(1).AtMapKey("liqo_version"),
					knownvalue.StringExact(oldestLiqo)),
			},
		},
		resource.TestStep{
			Config: from(serves("31001") + "mtu = 1300"), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				acctest.Expect("mtu", knownvalue.Int32Exact(1300)),
			},
		},
		resource.TestStep{
			Config: from(`server_gateway = { service_annotations = { speed = "fast" } }`),
			ExpectError: regexp.MustCompile(
				`Liqo ` + oldestLiqo + ` on this leaf can't set labels or annotations of a\s+gateway's Service`),
		},
		resource.TestStep{
			Config:           from(serves("31001") + `server_network = { pod_cidrs = ["10.202.0.0/17"] }`),
			ConfigPlanChecks: acctest.InPlace(), // the newest Liqo follows
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, part("server_network"), lab.AsLiqoSays(t, acctest.RomeMilan, "milan", "rome"),
			},
		},
		resource.TestStep{
			Config: from(serves("31001") + `client_network = { pod_cidrs = ["10.203.0.0/17"] }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, part("client_network"), lab.AsLiqoSays(t, acctest.RomeMilan, "milan", "rome"),
			},
		},
		resource.TestStep{
			ResourceName: acctest.RomeMilan, ImportState: true, ImportStateId: "milan/rome", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"owner_id", "on_destroy"}, // no leaf shows them
		},
	)
}

func TestAccOnlyOnePodCIDRIsAnnouncedToTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	const parts = `pod_cidrs = ["10.203.0.0/17", "10.203.128.0/18"]`
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", acctest.OverNodePort+"\n"+`server_network = { `+parts+` }`),
		ExpectError: regexp.MustCompile(
			`Liqo ` + oldestLiqo + ` on this leaf can reach only one pod CIDR of another\s+cluster`),
	})
}
