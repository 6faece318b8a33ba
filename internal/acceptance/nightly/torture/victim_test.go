package torture

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// victim is a torture of a shortcut to Milan. What goes wrong lasts for a whole create, and for a whole destroy.
type victim struct{ torture }

// newVictim returns a torture without a shortcut yet. Terraform reaches the leaves as told.
func newVictim(t *testing.T, lab *acctest.Lab, leaves map[string]acctest.Leaf, dice *acctest.Dice) *victim {
	t.Helper()
	v := &victim{torture{t: t, lab: lab, tally: newTally(dice.Seed)}}
	t.Cleanup(func() { tallies = append(tallies, v.tally) })
	v.project = lab.Example(t, "credentials/token")
	v.project.SetJSON("TF_VAR_leaves", leaves)
	v.project.Write("shortcut.tf", acctest.Joining("s", "rome", "milan", timeouts))
	v.project.Run("init")
	var err error
	if v.before, err = lab.Inventory(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v
}

// survives runs a create and a destroy, while something goes wrong from begin to end, and once more without it.
func (v *victim) survives(t *testing.T, name string, begin, end func()) {
	t.Helper()
	v.tally.tried(name)
	for _, operation := range []string{"create", "destroy"} {
		begin()
		output, err := v.start(operation).Wait()
		end()
		if err != nil && !strings.Contains(acctest.Unbroken(output), `leaf "milan"`) {
			t.Fatalf("the error of the %s does not name the leaf:\n%s", operation, output)
		}
		t.Logf("%s: %s", operation, outcome(output, err))
		if err := v.converges(operation); err != nil {
			t.Fatalf("%s, and then: %v", operation, err)
		}
	}
	v.tally.survived(name)
}

// outcome returns the headline of an error of Terraform.
func outcome(output string, err error) string {
	if err == nil {
		return "it succeeds"
	}
	_, headline, _ := strings.Cut(acctest.Unbroken(output), "Error: ")
	return "it fails: " + headline[:min(len(headline), 150)]
}
