package topology

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTwoAppliesAtOnceOnPairsThatShareALeafCreateBoth(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	states := []*acctest.Project{
		lab.StateIn(t, "north", acctest.Joining("s", "rome", "milan", "")),
		lab.StateIn(t, "south", acctest.Joining("s", "milan", "naples", "")),
	}
	acctest.DestroyAtLast(states...)
	for _, args := range [][]string{
		{"apply", "-auto-approve"}, {"plan", "-detailed-exitcode"}, {"destroy", "-auto-approve"},
	} {
		running := []*acctest.Execution{states[0].Begin(args...), states[1].Begin(args...)}
		for _, one := range running {
			if output, err := one.Wait(); err != nil {
				t.Errorf("terraform %v: %v\n%s", args, err, output)
			}
		}
	}
}
