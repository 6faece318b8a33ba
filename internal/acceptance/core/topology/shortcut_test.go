package topology

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

func TestAccLeavesWithTheSamePodCIDRAreRemapped(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	acctest.Apply(t, resource.TestStep{
		Config: lab.Contexts(`
			resource "liqo_shortcut" "rome_naples" {
			  client         = "rome"
			  server         = "naples"
			  server_gateway = { service_type = "NodePort" }
			}`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("liqo_shortcut.rome_naples", tfjsonpath.New("status"), acctest.Connected),
			lab.AsLiqoSays(t, "liqo_shortcut.rome_naples", "rome", "naples"),
			remapped("liqo_shortcut.rome_naples", "client_network", "10.202.0.0/16"),
			remapped("liqo_shortcut.rome_naples", "server_network", "10.202.0.0/16"),
		},
	})
}

func TestAccTheCentreAndItsLeavesAreConnectedInOneApply(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
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
		lab.AsLiqoSays(t, "liqo_shortcut.europe_rome", "europe", "rome"),
		lab.AsLiqoSays(t, "liqo_shortcut.europe_milan", "europe", "milan"),
		lab.AsLiqoSays(t, "liqo_shortcut.rome_milan", "rome", "milan"),
	}
	const ofEurope = "100.64.0.0/16"
	for _, shortcut := range []struct {
		address    string
		clientPods statecheck.StateCheck
		serverPods string
	}{
		{"liqo_shortcut.europe_rome", remapped("liqo_shortcut.europe_rome", "client_network", ofEurope), "10.202.0.0/16"},
		{"liqo_shortcut.europe_milan", remapped("liqo_shortcut.europe_milan", "client_network", ofEurope), "10.203.0.0/16"},
		{acctest.RomeMilan, acctest.KeepsPodCIDR(acctest.RomeMilan, "client_network", "10.202.0.0/16"), "10.203.0.0/16"},
	} {
		checks = append(checks,
			statecheck.ExpectKnownValue(shortcut.address, tfjsonpath.New("status"), acctest.Connected),
			shortcut.clientPods, acctest.KeepsPodCIDR(shortcut.address, "server_network", shortcut.serverPods),
			externalCIDRIsRemapped(shortcut.address, "client_network"),
			externalCIDRIsRemapped(shortcut.address, "server_network"),
		)
	}
	acctest.Apply(t, resource.TestStep{Config: lab.Contexts(config), ConfigStateChecks: checks})
}

// Liqo 1.2.0 never reports a remapping as complete if the changed ranges are remapped to the same ones as before, as
// these are.
func TestAccRangesChangeInPlaceToOthersOfTheSameSize(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	announcing := func(half string, checks resource.ConfigPlanChecks) resource.TestStep {
		return resource.TestStep{
			Config: lab.Between("naples", acctest.OverNodePort+fmt.Sprintf(`
				server_network = { pod_cidrs = [%q] }`, half)),
			ConfigPlanChecks: checks,
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "naples"),
			},
		}
	}
	acctest.Apply(t,
		announcing("10.202.0.0/17", resource.ConfigPlanChecks{}),
		announcing("10.202.128.0/17", acctest.InPlace()),
	)
}

func TestAccExamplesAreAppliedUnchanged(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	for name, status := range map[string][]string{
		"first-shortcut":          {acctest.RomeMilan},
		"resources/liqo_shortcut": {acctest.RomeMilan},
		"demo":                    {"liqo_shortcut.demo"},
		"mesh": {
			`liqo_shortcut.mesh["milan-naples"]`, `liqo_shortcut.mesh["milan-rome"]`, `liqo_shortcut.mesh["naples-rome"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			p := lab.Example(t, name)
			if p.Remove("import-*.tf"); name == "resources/liqo_shortcut" { // imports need an existing network
				p.Write("provider.tf", lab.Contexts(""))
			}
			p.Set("TF_VAR_kubeconfig", lab.Kubeconfig)
			p.Apply()
			for _, address := range status {
				acctest.Says(t, p.Run("state", "show", address), `status = "Connected"`)
			}
		})
	}
}

// remapped checks that a leaf's only pod CIDR is remapped.
func remapped(address, attribute, podCIDR string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(
		address, tfjsonpath.New(attribute).AtMapKey("remapped_pod_cidrs").AtSliceIndex(0), different(podCIDR),
	)
}

// externalCIDRIsRemapped checks that a leaf's external CIDR is remapped, because all clusters of the lab have the same.
func externalCIDRIsRemapped(address, attribute string) statecheck.StateCheck {
	expected := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"external_cidr":          knownvalue.StringExact("10.70.0.0/16"),
		"remapped_external_cidr": different("10.70.0.0/16"),
	})
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), expected)
}

// different checks that a range is another one.
func different(from string) knownvalue.Check {
	return knownvalue.StringFunc(func(value string) error {
		if value == from {
			return fmt.Errorf("got %s, expected another value", value)
		}
		_, err := netip.ParsePrefix(value)
		return err
	})
}
