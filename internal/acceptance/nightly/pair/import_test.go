package pair

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// namedOtherwise returns a provider block in which Rome and Milan have other names than their contexts, and a shortcut
// between them. There are no other names.
func namedOtherwise(l *acctest.Lab, client, server string) string {
	return l.Known(map[string]string{client: acctest.Entry("rome"), server: acctest.Entry("milan")}) + fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client         = %q
		  server         = %q
		  server_gateway = { service_type = "NodePort" }
		}`, client, server)
}

func TestAccAShortcutIsImportedByNamesWithSlashes(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const rome, milan = "arn:aws:eks:eu-west-1:111122223333:cluster/rome",
		"arn:aws:eks:eu-west-1:111122223333:cluster/milan"
	config := namedOtherwise(lab, rome, milan)
	refused := acctest.Importing(config, rome+"/turin", acctest.Message("Invalid import ID",
		`…It was "`+rome+`/turin". The known names are ["`+milan+`" "`+rome+`"].`))
	refused.PreConfig = lab.JoinByHand(t, "rome", "milan")
	acctest.Apply(t, refused, acctest.Importing(config, rome+"/"+milan, nil), acctest.ChangesNothing(config))
}

func TestAccAShortcutIsImportedByItsIDWhateverTheNamesOfItsLeaves(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := namedOtherwise(lab, "uno", "due")
	refused := acctest.Importing(config, "rome/turin",
		acctest.Message("Unknown server", `None of the leaves "due", "uno" has the cluster ID "turin".`))
	refused.PreConfig = lab.JoinByHand(t, "rome", "milan")
	acctest.Apply(t, refused, acctest.Importing(config, "rome/milan", nil), acctest.ChangesNothing(config))
}
