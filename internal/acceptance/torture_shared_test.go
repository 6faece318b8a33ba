package acceptance

import "testing"

func TestAccTortureByTwoAppliesOnPairsThatShareALeafCreatesBoth(t *testing.T) {
	lab := borrowTopology(t)
	states := []*project{
		lab.stateIn(t, "north", joining("s", "rome", "milan", "")),
		lab.stateIn(t, "south", joining("s", "milan", "naples", "")),
	}
	destroyAtLast(states...)
	for _, args := range [][]string{
		{"apply", "-auto-approve"}, {"plan", "-detailed-exitcode"}, {"destroy", "-auto-approve"},
	} {
		running := []*execution{states[0].begin(args...), states[1].begin(args...)}
		for _, one := range running {
			if output, err := one.wait(); err != nil {
				t.Errorf("terraform %v: %v\n%s", args, err, output)
			}
		}
	}
}
