package topology

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// Rome and Naples have the same range, and Liqo gives out none like Europe's.
func TestAccLeavesAreRemappedWhereTheyMustBeInOneApply(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := lab.Applied(t, lab.Contexts(
		acctest.Joining("rome_naples", "rome", "naples", "")+acctest.Joining("europe_milan", "europe", "milan", "")))
	const naples, europe = "liqo_shortcut.rome_naples", "liqo_shortcut.europe_milan"
	for address, pair := range map[string][2]string{naples: {"rome", "naples"}, europe: {"europe", "milan"}} {
		p.Is(address, map[string]any{"status": "Connected"})
		lab.AsLiqoSays(p, address, pair[0], pair[1])
		// All clusters of the lab have the same external CIDR.
		for _, network := range []string{"client_network", "server_network"} {
			p.Is(address, map[string]any{network + ".external_cidr": "10.70.0.0/16"})
			isAnother(p, address, network+".remapped_external_cidr", "10.70.0.0/16")
		}
	}
	isAnother(p, naples, "client_network.remapped_pod_cidrs.0", "10.202.0.0/16")
	isAnother(p, naples, "server_network.remapped_pod_cidrs.0", "10.202.0.0/16")
	isAnother(p, europe, "client_network.remapped_pod_cidrs.0", "100.64.0.0/16")
	p.KeepsPodCIDR(europe, "server_network", "10.203.0.0/16")
}

// Liqo 1.2.0 never reports a remapping as complete if the changed ranges are remapped to the same ones as before, as
// these are.
func TestAccRangesChangeInPlaceToOthersOfTheSameSize(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	announcing := func(half string) string {
		return lab.Between("naples", acctest.OverNodePort+fmt.Sprintf(`
			server_network = { pod_cidrs = [%q] }`, half))
	}
	p := lab.Applied(t, announcing("10.202.0.0/17"))
	p.IsConnected()
	lab.AsLiqoSays(p, acctest.RomeMilan, "rome", "naples")
	p.Becomes(announcing("10.202.128.0/17"), acctest.InPlace)
	p.IsConnected()
	lab.AsLiqoSays(p, acctest.RomeMilan, "rome", "naples")
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
				p.Is(address, map[string]any{"status": "Connected"})
			}
		})
	}
}

// isAnother fails the test unless the state has another range than this one at a path.
func isAnother(p *acctest.Project, address, path, than string) {
	p.T.Helper()
	got := fmt.Sprint(p.Value(address, path))
	if _, err := netip.ParsePrefix(got); err != nil || got == than {
		p.T.Errorf("%s of %s is %s, expected another range than %s (%v)", path, address, got, than, err)
	}
}
