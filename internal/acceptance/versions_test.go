package acceptance

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// oldestLiqo is the oldest version of Liqo that the tests run.
const oldestLiqo = "v1.0.1"

// oldAndNew has the options of a lab in which Rome has the oldest Liqo, and Milan the newest one.
var oldAndNew = []string{"--cluster=rome=10.202.0.0/16,liqo=" + oldestLiqo, "--cluster=milan=10.203.0.0/16"}

func TestAccMissingObjectsAreRepairedInPlaceWithTheOldestLiqo(t *testing.T) {
	lab := borrowLabOf(t, oldAndNew)
	lab.repaired(t, lab.missingObjects(t)...)
}

func TestAccTheOldestLiqoCanBeTheServerOfTheNewest(t *testing.T) {
	lab := borrowLabOf(t, oldAndNew)
	from := func(settings string) string {
		return lab.contexts(`
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
		return statecheck.ExpectKnownValue(romeMilan, tfjsonpath.New(network).AtMapKey("remapped_pod_cidrs"),
			knownvalue.ListSizeExact(1))
	}
	apply(t,
		resource.TestStep{
			Config: from(serves("31000")),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), lab.asLiqoSays(t, romeMilan, "milan", "rome"),
				statecheck.ExpectKnownValue("data.liqo_topology.all", nodes.AtSliceIndex(1).AtMapKey("liqo_version"),
					knownvalue.StringExact(oldestLiqo)),
			},
		},
		resource.TestStep{
			Config: from(serves("31001") + "mtu = 1300"), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected), expect("mtu", knownvalue.Int32Exact(1300))},
		},
		resource.TestStep{
			Config: from(`server_gateway = { service_annotations = { speed = "fast" } }`),
			ExpectError: regexp.MustCompile(
				`Liqo ` + oldestLiqo + ` on this leaf can't set labels or annotations of a\s+gateway's Service`),
		},
		resource.TestStep{
			Config:           from(serves("31001") + `server_network = { pod_cidrs = ["10.202.0.0/17"] }`),
			ConfigPlanChecks: inPlace(), // the newest Liqo follows
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), part("server_network"), lab.asLiqoSays(t, romeMilan, "milan", "rome"),
			},
		},
		resource.TestStep{
			Config: from(serves("31001") + `client_network = { pod_cidrs = ["10.203.0.0/17"] }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), part("client_network"), lab.asLiqoSays(t, romeMilan, "milan", "rome"),
			},
		},
		resource.TestStep{
			ResourceName: romeMilan, ImportState: true, ImportStateId: "milan/rome", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"owner_id", "on_destroy", "adopt_existing"}, // no leaf shows them
		},
	)
}

func TestAccOnlyOnePodCIDRIsAnnouncedToTheOldestLiqo(t *testing.T) {
	lab := borrowLabOf(t, oldAndNew)
	const parts = `pod_cidrs = ["10.203.0.0/17", "10.203.128.0/18"]`
	apply(t, resource.TestStep{
		Config: lab.between("milan", overNodePort+"\n"+`server_network = { `+parts+` }`),
		ExpectError: regexp.MustCompile(
			`Liqo ` + oldestLiqo + ` on this leaf can reach only one pod CIDR of another\s+cluster`),
	})
}
