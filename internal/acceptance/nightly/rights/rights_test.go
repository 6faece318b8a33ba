package rights

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Each right is taken away from a role, and somebody does what needs it. A short test takes some away.
func TestAccNothingInTheExamplesOfRolesIsSuperfluous(t *testing.T) {
	onEachKubernetes(t, func(t *testing.T, l *acctest.Lab) {
		t.Helper()
		for _, name := range []string{"rome", "milan"} {
			l.Have(t, name, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ownNamespace}})
		}
		s := &stage{lab: l}
		var err error
		if s.administrator, err = s.join(t, l.ReachedAsAdministrator(t, "rome", "milan")); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.remove(t) })
		for name, example := range map[string]struct {
			files []string
			uses  []use
		}{
			"manage": {[]string{"shortcuts", "key-rotation", "pods", "what-may-cross"}, toManage},
			"plan":   {[]string{"plans"}, toPlan},
		} {
			t.Run(name, func(t *testing.T) {
				roles, left := acctest.RolesIn(t, example.files...), map[string]acctest.Right{}
				for _, one := range acctest.RightsIn(roles) {
					left[one.String()] = one
				}
				type lack struct {
					taken    acctest.Right
					use      use
					accounts map[string]acctest.Leaf // keyed by leaf
				}
				var lacks []lack
				for _, use := range example.uses {
					for _, text := range use.rights {
						taken, given := left[text]
						if !given {
							t.Errorf("%s needs the right to %s, which no role gives or something else needs, too", use.name, text)
							continue
						}
						lacks = append(lacks, lack{taken: taken, use: use})
						delete(left, text)
					}
				}
				for text := range left {
					t.Errorf("nothing needs the right to %s", text)
				}
				const someCases = 8 // of each example in a short test
				lacks = acctest.SomeOf(lacks, someCases, acctest.NewDice(t))
				for i, lack := range lacks {
					lacks[i].accounts = reachedWith(t, l, lack.taken.Account(), acctest.Without(roles, lack.taken))
				}
				for _, lack := range lacks {
					t.Run(fmt.Sprintf("%s without the right to %s", lack.use.name, lack.taken), func(t *testing.T) {
						s.refuses(t, lack.use, lack.taken, lack.accounts)
					})
				}
			})
		}
	})
}
