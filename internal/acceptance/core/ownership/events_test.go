package ownership

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccANetworkMadeByLiqoctlIsImportedAndThenManaged(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := lab.Contexts(acctest.ShortcutRomeMilan)
	p := lab.Written(t, config)
	lab.JoinByHand(t, "rome", "milan")
	acctest.Explains(t, p.Refuses(config), `A network with "…" exists already on leaf "…"`,
		"liqoctl or another program did. To manage it here, import it, with the address of this resource after `to`:",
		`import { to = liqo_shortcut.rome_milan id = "rome/milan" }`)
	p.Run("import", acctest.RomeMilan, "rome/milan")
	acctest.Says(t, p.Again(), acctest.Nothing)
	p.IsConnected()
}

func TestAccANetworkInTheOppositeDirectionIsImportedAsItIsAndThenTurnedAround(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	wanted := lab.Between("milan", acctest.OverNodePort)
	p := lab.Written(t, wanted)
	lab.JoinByHand(t, "milan", "rome")
	acctest.Explains(t, p.Refuses(wanted), `A network with "…" exists already on leaf "…"`,
		"To manage it here, swap `client` and `server` of this resource, because \"milan\" dials \"rome\", and import it,",
		"with the address of this resource after `to`:", `import { to = liqo_shortcut.milan_rome id = "milan/rome" }`)
	p.Write("main.tf", lab.Contexts(acctest.FromTo("rome_milan", "milan", "rome", acctest.OverNodePort)))
	p.Run("import", acctest.RomeMilan, "milan/rome")
	p.Becomes(wanted, acctest.Replaced)
	p.IsConnected()
}
