package topology

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccExamplesAreAppliedUnchanged(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	for name, status := range map[string][]string{
		"resources/liqo_shortcut": {"liqo_shortcut.rome_milan"},
		"demo":                    {"liqo_shortcut.demo"},
		"mesh": {
			`liqo_shortcut.mesh["rome-milan"]`, `liqo_shortcut.mesh["rome-naples"]`, `liqo_shortcut.mesh["milan-naples"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			p := lab.Example(t, name)
			p.Remove("import-*.tf") // they need an existing network
			p.Set("TF_VAR_kubeconfig", lab.Kubeconfig)
			p.Apply()
			for _, address := range status {
				acctest.Says(t, p.Run("state", "show", address), `status = "Connected"`)
			}
		})
	}
}
