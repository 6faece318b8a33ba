package topology

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnInvalidImportImportsNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	config := lab.Contexts(acctest.ShortcutRomeMilan)
	turned := acctest.Importing(config, "milan/rome", acctest.Message("The network has the opposite direction",
		`"rome" is the client and "milan" the server. So the import ID is `+
			"`rome/milan`, or by cluster IDs `rome/milan`. Nothing was imported"))
	turned.PreConfig = lab.JoinByHand(t, "rome", "milan")
	silent := acctest.Importing(config, "rome/milan", acctest.Message(`The API server can't be reached on leaf "milan"`))
	silent.PreConfig = func() { lab.Command(t, "stop-apiserver", "milan") }
	found := acctest.Importing(config, "rome/milan", nil)
	found.PreConfig = func() { lab.Command(t, "start-apiserver", "milan") }
	acctest.Apply(t, turned,
		acctest.Importing(config, "rome/naples", acctest.Message("Cannot import non-existent remote object")), silent,
		found, acctest.ChangesNothing(config))
}
