package rights

import (
	"fmt"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccNothingInTheExamplesOfRolesIsSuperfluous(t *testing.T) {
	for name, role := range exampleRoles {
		t.Run(name, func(t *testing.T) { everyRightIsNeeded(t, acctest.Borrow(t, acctest.Pair), role) })
	}
}

// exampleRole is what a role of the examples is for.
type exampleRole struct {
	files []string
	uses  []use
}

var exampleRoles = map[string]exampleRole{
	"manage": {[]string{"shortcuts", "key-rotation", "pods", "what-may-cross"}, toManage},
	"plan":   {[]string{"plans"}, toPlan},
}

// everyRightIsNeeded takes each right away from a role, and does what needs it. A short test takes some away.
func everyRightIsNeeded(t *testing.T, l *acctest.Lab, role exampleRole) {
	t.Helper()
	roles := acctest.RolesIn(t, role.files...)
	seed := acctest.NumberFrom(t, acctest.TortureSeed, time.Now().UnixNano())
	t.Logf("%s=%d", acctest.TortureSeed, seed)
	cases := acctest.SomeOf(casesOf(t, acctest.RightsIn(roles), role.uses), someCases, acctest.NewDice(seed))
	s := newStage(t, l)
	for _, c := range cases {
		s.admit(t, c.taken, acctest.Without(roles, c.taken))
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s without the right to %s", c.use.name, c.taken), func(t *testing.T) {
			s.lacks(t, c.use, c.taken)
		})
	}
}

// rightCase is one right that is taken away from a role, and what needs it.
type rightCase struct {
	taken acctest.Right
	use   use
}

// casesOf returns a case for each right, in the order of the uses. It fails the test if nothing needs one of the
// rights, or if something needs another one.
func casesOf(t *testing.T, all []acctest.Right, uses []use) []rightCase {
	t.Helper()
	var cases []rightCase
	left := map[string]acctest.Right{}
	for _, one := range all {
		left[one.String()] = one
	}
	for _, use := range uses {
		for _, text := range use.rights {
			taken, given := left[text]
			if !given {
				t.Errorf("%s needs the right to %s, which the role does not give or something else needs, too", use.name, text)
				continue
			}
			cases = append(cases, rightCase{taken, use})
			delete(left, text)
		}
	}
	for text := range left {
		t.Errorf("nothing needs the right to %s", text)
	}
	return cases
}

// someCases is the number of cases of a role in a short test.
const someCases = 8
