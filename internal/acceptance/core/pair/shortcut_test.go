package pair

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccAShortcutOverANodePortIsCreatedChangedAndRemoved(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			Config: lab.Contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  server_gateway = { service_type = "NodePort" }
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				acctest.Expect("id", knownvalue.StringExact("rome/milan")),
				acctest.Expect("client_cluster_id", knownvalue.StringExact("rome")),
				acctest.Expect("server_cluster_id", knownvalue.StringExact("milan")),
				acctest.Expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan")),
				acctest.Expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")),
				acctest.Expect("mtu", knownvalue.Int32Exact(1340)),
				acctest.Expect("server_endpoint", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"addresses": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(lab.NodeAddress(t, "milan"))}),
					"port":      nodePort(),
					"protocol":  knownvalue.StringExact("UDP"),
				})),
				lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
			},
		},
		resource.TestStep{
			Config: lab.Contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  mtu            = 1400
				  server_gateway = { service_type = "NodePort", node_port = 31000 }
				}`),
			ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				acctest.Expect("mtu", knownvalue.Int32Exact(1400)),
				statecheck.ExpectKnownValue(
					acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(31000),
				),
				lab.GatewaysHaveMTU(t, 1400),
			},
		},
	)
}

func TestAccAShortcutOverALoadBalancerIsCreatedChangedAndRemoved(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			Config: lab.Contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client = "rome"
				  server = "milan"
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				statecheck.ExpectKnownValue(acctest.RomeMilan, tfjsonpath.New("server_gateway").AtMapKey("service_type"),
					knownvalue.StringExact("LoadBalancer")),
				statecheck.ExpectKnownValue(
					acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(51840),
				),
			},
		},
		resource.TestStep{
			Config: lab.Contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  server_gateway = { service_type = "NodePort" }
				}`),
			ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				statecheck.ExpectKnownValue(acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), nodePort()),
			},
		},
		resource.TestStep{
			Config: lab.Contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  server_gateway = { port = 51900 }
				}`),
			ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				statecheck.ExpectKnownValue(
					acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(51900),
				),
			},
		},
	)
}

func TestAccTheClientCanDialAnotherAddress(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	dials := func(address string, port int, more string) string {
		return lab.Contexts(fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = "milan"
			  server_gateway = { service_type = "NodePort", node_port = 31001 }
			  client_gateway = { server_address = %q, server_port = %d }
			  %s
			}`, address, port, more))
	}
	node := lab.NodeAddress(t, "milan")
	dialling := func(address string, port int) statecheck.StateCheck {
		return lab.Has(t, "rome", &networkingv1beta1.GatewayClientList{}, ".spec.endpoint['addresses','port']",
			fmt.Sprintf("[%q] %d", address, port))
	}
	endpoint := acctest.Expect("server_endpoint", knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"addresses": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(node)}),
		"port":      knownvalue.Int32Exact(31001),
	}))
	acctest.Apply(t,
		resource.TestStep{ // a name and a port that only Rome uses, and that do not work yet
			Config:            dials("milan.example.com", 41000, "wait_for_connection = false"),
			ConfigStateChecks: []statecheck.StateCheck{dialling("milan.example.com", 41000), endpoint},
		},
		resource.TestStep{
			Config:           dials(node, 31001, ""),
			ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				dialling(node, 31001),
				endpoint,
				acctest.IsConnected,
			},
		},
	)
}

func nodePort() knownvalue.Check {
	return knownvalue.Int32Func(func(port int32) error {
		if port < 30000 || port > 32767 {
			return fmt.Errorf("%d is not a node port", port)
		}
		return nil
	})
}
