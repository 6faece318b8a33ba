package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

const romeMilan = "liqo_shortcut.rome_milan"

func expect(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(romeMilan, tfjsonpath.New(attribute), value)
}

var connected = knownvalue.StringExact("Connected")

func inPlace() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionUpdate)},
	}
}

func TestAccAShortcutOverANodePortIsCreatedChangedAndRemoved(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  server_gateway = { service_type = "NodePort" }
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected),
				expect("id", knownvalue.StringExact("rome/milan")),
				expect("client_cluster_id", knownvalue.StringExact("rome")),
				expect("server_cluster_id", knownvalue.StringExact("milan")),
				expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan")),
				expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")),
				expect("mtu", knownvalue.Int32Exact(1340)),
				expect("server_endpoint", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"addresses": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(lab.nodeAddress(t, "milan"))}),
					"port":      nodePort(),
					"ports":     knownvalue.Null(),
					"protocol":  knownvalue.StringExact("UDP"),
				})),
				lab.asLiqoSays(t, romeMilan, "rome", "milan"),
			},
		},
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  mtu            = 1400
				  server_gateway = { service_type = "NodePort", node_port = 31000 }
				}`),
			ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected),
				expect("mtu", knownvalue.Int32Exact(1400)),
				statecheck.ExpectKnownValue(
					romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(31000),
				),
				lab.gatewaysHaveMTU(t, 1400),
			},
		},
	)
}

func TestAccAShortcutOverALoadBalancerIsCreatedChangedAndRemoved(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client = "rome"
				  server = "milan"
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected),
				statecheck.ExpectKnownValue(
					romeMilan, tfjsonpath.New("server_gateway").AtMapKey("service_type"), knownvalue.StringExact("LoadBalancer"),
				),
				statecheck.ExpectKnownValue(
					romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(51840),
				),
			},
		},
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  server_gateway = { service_type = "NodePort" }
				}`),
			ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected),
				statecheck.ExpectKnownValue(romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), nodePort()),
			},
		},
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "rome_milan" {
				  client         = "rome"
				  server         = "milan"
				  server_gateway = { port = 51900 }
				}`),
			ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected),
				statecheck.ExpectKnownValue(
					romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), knownvalue.Int32Exact(51900),
				),
			},
		},
	)
}

func TestAccTheClientCanDialAnotherAddress(t *testing.T) {
	lab := borrowLab(t)
	dials := func(address string, port int, more string) string {
		return lab.contexts(fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = "milan"
			  server_gateway = { service_type = "NodePort", node_port = 31001 }
			  client_gateway = { connect_address = %q, connect_port = %d }
			  %s
			}`, address, port, more))
	}
	node := lab.nodeAddress(t, "milan")
	endpoint := expect("server_endpoint", knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"addresses": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(node)}),
		"port":      knownvalue.Int32Exact(31001),
	}))
	apply(t,
		resource.TestStep{ // a name and a port that only Rome uses, and that do not work yet
			Config:            dials("milan.example.com", 41000, "wait_for_connection = false"),
			ConfigStateChecks: []statecheck.StateCheck{lab.dialling(t, "milan.example.com", 41000), endpoint},
		},
		resource.TestStep{
			Config:            dials(node, 31001, ""),
			ConfigPlanChecks:  inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{lab.dialling(t, node, 31001), endpoint, expect("status", connected)},
		},
	)
}

func TestAccLeavesWithTheSamePodCIDRAreRemapped(t *testing.T) {
	lab := borrowTopology(t)
	apply(t, resource.TestStep{
		Config: lab.contexts(`
			resource "liqo_shortcut" "rome_naples" {
			  client         = "rome"
			  server         = "naples"
			  server_gateway = { service_type = "NodePort" }
			}`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("liqo_shortcut.rome_naples", tfjsonpath.New("status"), connected),
			lab.asLiqoSays(t, "liqo_shortcut.rome_naples", "rome", "naples"),
			remapped("liqo_shortcut.rome_naples", "client_network", "10.202.0.0/16"),
			remapped("liqo_shortcut.rome_naples", "server_network", "10.202.0.0/16"),
		},
	})
}

func TestAccThreeClustersBecomeAFullMeshInOneApply(t *testing.T) {
	lab := borrowTopology(t)
	apply(t,
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "mesh" {
				  for_each = {
				    rome-milan   = { client = "rome", server = "milan" }
				    rome-naples  = { client = "rome", server = "naples" }
				    milan-naples = { client = "milan", server = "naples" }
				  }
				  client         = each.value.client
				  server         = each.value.server
				  server_gateway = { service_type = "NodePort" }
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(`liqo_shortcut.mesh["rome-milan"]`, tfjsonpath.New("status"), connected),
				statecheck.ExpectKnownValue(`liqo_shortcut.mesh["rome-naples"]`, tfjsonpath.New("status"), connected),
				statecheck.ExpectKnownValue(`liqo_shortcut.mesh["milan-naples"]`, tfjsonpath.New("status"), connected),
			},
		},
		resource.TestStep{Config: lab.contexts("")}, // the test framework can't destroy resources with for_each
	)
}

func TestAccTheCentreAndItsLeavesAreConnectedInOneApply(t *testing.T) {
	lab := borrowTopology(t)
	const config = `
		resource "liqo_shortcut" "europe_rome" {
		  client         = "europe"
		  server         = "rome"
		  server_gateway = { service_type = "NodePort" }
		}
		resource "liqo_shortcut" "europe_milan" {
		  client         = "europe"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		}
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		}`
	checks := []statecheck.StateCheck{
		lab.asLiqoSays(t, "liqo_shortcut.europe_rome", "europe", "rome"),
		lab.asLiqoSays(t, "liqo_shortcut.europe_milan", "europe", "milan"),
		lab.asLiqoSays(t, "liqo_shortcut.rome_milan", "rome", "milan"),
	}
	const ofEurope = "100.64.0.0/16"
	for _, shortcut := range []struct {
		address    string
		clientPods statecheck.StateCheck
		serverPods string
	}{
		{"liqo_shortcut.europe_rome", remapped("liqo_shortcut.europe_rome", "client_network", ofEurope), "10.202.0.0/16"},
		{"liqo_shortcut.europe_milan", remapped("liqo_shortcut.europe_milan", "client_network", ofEurope), "10.203.0.0/16"},
		{romeMilan, keepsPodCIDR(romeMilan, "client_network", "10.202.0.0/16"), "10.203.0.0/16"},
	} {
		checks = append(checks,
			statecheck.ExpectKnownValue(shortcut.address, tfjsonpath.New("status"), connected),
			shortcut.clientPods, keepsPodCIDR(shortcut.address, "server_network", shortcut.serverPods),
			externalCIDRIsRemapped(shortcut.address, "client_network"),
			externalCIDRIsRemapped(shortcut.address, "server_network"),
		)
	}
	apply(t, resource.TestStep{Config: lab.contexts(config), ConfigStateChecks: checks})
}
