package torture

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// Two runners create the same shortcut at the same time, and something happens to one of them.
func TestAccTortureOfTwoRunnersOnOnePairEndsWithOneOwner(t *testing.T) {
	lab, dice := acctest.BorrowReal(t, acctest.Plane), acctest.NewDice(t)
	config := acctest.Joining("s", "rome", "milan", timeouts) + lab.Addresses("liqo_shortcut.s", "milan")
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	runners := []*acctest.Runner{
		lab.NewRunner(t, "first", config, leaves), lab.NewRunner(t, "second", config, leaves),
	}
	runners[0].Run("init")
	runners[1].Run("init")
	before := lab.Inventory(t)
	began := time.Now()
	runners[0].Run("apply", "-auto-approve")
	took := time.Since(began)
	runners[0].Run("destroy", "-auto-approve")

	var said string
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("In the last round, the applies said:", said)
		}
	})
	longest := acctest.OrShort(30*time.Second, 12*time.Second)
	const shortest = 5 * time.Second
	for range acctest.Rounds(t, 3) {
		lasts := shortest + dice.Within(longest-shortest)
		away := [][]string{{"rome"}, {"milan"}, {"rome", "milan"}}[dice.Below(3)]
		onWays := func(struck *acctest.Runner, begin func(*clustertest.Proxy) (end func())) {
			var ends []func()
			for _, leaf := range away {
				ends = append(ends, begin(struck.Ways[leaf]))
			}
			<-time.After(lasts)
			for _, end := range ends {
				end()
			}
		}
		troubles := []struct {
			name   string
			strike func(*acctest.Runner, *acctest.Execution)
		}{
			{"nothing", func(*acctest.Runner, *acctest.Execution) {}},
			{"SIGKILL", func(_ *acctest.Runner, running *acctest.Execution) {
				acctest.Must(t, running.Signal(syscall.SIGKILL))
			}},
			{"SIGSTOP", func(_ *acctest.Runner, running *acctest.Execution) {
				acctest.Must(t, running.Signal(syscall.SIGSTOP))
				<-time.After(lasts)
				acctest.Must(t, running.Signal(syscall.SIGCONT))
			}},
			{"no way to " + strings.Join(away, " and "), func(struck *acctest.Runner, _ *acctest.Execution) {
				onWays(struck, (*clustertest.Proxy).Cut)
			}},
			{"401 by " + strings.Join(away, " and "), func(struck *acctest.Runner, _ *acctest.Execution) {
				onWays(struck, func(way *clustertest.Proxy) func() {
					way.Disturb(answer(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized"))
					return func() { way.Disturb(nil) }
				})
			}},
		}
		happens, struck, first := troubles[dice.Below(len(troubles))], dice.Below(2), dice.Below(2)
		moment, gap := dice.Within(took), dice.Within(took)
		t.Logf("%s begins, the other one after %.3f s; after %.3f s, %s happens to %s for %s", runners[first].Name,
			gap.Seconds(), moment.Seconds(), happens.name, runners[struck].Name, lasts)
		running := make([]*acctest.Execution, 2)
		running[first] = runners[first].Begin("apply", "-auto-approve")
		<-time.After(gap)
		running[1-first] = runners[1-first].Begin("apply", "-auto-approve")
		<-time.After(moment - gap)
		happens.strike(runners[struck], running[struck])
		said = ""
		for i, one := range running {
			output, err := one.Wait()
			runners[i].Unlock()
			said += fmt.Sprintf("\n%s: %v\n%s", runners[i].Name, err, output)
		}

		owner, other := ownerOf(t, lab.Lab, runners)
		owner.Run("apply", "-auto-approve")
		owner.Unchanged()
		acctest.Says(t, other.Refused("apply", "-auto-approve"), "exists already on leaf")
		const complete = 6 // two of each kind, and one gateway of each direction
		if of := owners(t, lab.Lab); token(other) != "" || len(of) != 1 || of[token(owner)] != complete {
			t.Fatalf("the states of %s and the other one have the tokens %q and %q, and the objects belong to %v",
				owner.Name, token(owner), token(other), of)
		}
		lab.ReachesSoon(t, "rome", owner.Run("output", "-raw", "server_at"))
		lab.ReachesSoon(t, "milan", owner.Run("output", "-raw", "rome_at"))
		owner.Run("destroy", "-auto-approve")
		acctest.Must(t, lab.SameInventory(t, before))
	}
}

// ownerOf returns the runner whose state has the shortcut, and the other one. If no state has it, because the create
// was killed or refused, it is any of them. A state can have it until the next refresh although the other one has taken
// over all objects.
func ownerOf(t *testing.T, l *acctest.Lab, runners []*acctest.Runner) (owner, other *acctest.Runner) {
	t.Helper()
	of := owners(t, l)
	switch first, second := token(runners[0]), token(runners[1]); {
	case first != "" && second != "" && of[first] > 0 && of[second] > 0:
		t.Fatalf("both states have the shortcut, and the objects belong to %v", of)
	case second != "" && (first == "" || of[first] == 0):
		return runners[1], runners[0]
	}
	return runners[0], runners[1]
}

// owners returns how many objects of the network have which owner's token.
func owners(t *testing.T, l *acctest.Lab) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, leaf := range []string{"rome", "milan"} {
		for _, list := range []client.ObjectList{
			&networkingv1beta1.ConfigurationList{}, &networkingv1beta1.PublicKeyList{},
			&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{},
		} {
			acctest.Must(t, l.Client(t, leaf).List(t.Context(), list))
			_ = meta.EachListItem(list, func(item apiruntime.Object) error {
				object := item.(client.Object) //nolint:errcheck,forcetypeassert // lists are of objects
				count[object.GetAnnotations()["terraform-provider-liqo/owner"]]++
				return nil
			})
		}
	}
	return count
}

// ownerID is an owner's token in a state.
var ownerID = regexp.MustCompile(`"owner_id": "([^"]+)"`)

// token returns the owner's token in the state of a runner, or an empty string if the state has no shortcut.
func token(r *acctest.Runner) string {
	r.T.Helper()
	if found := ownerID.FindStringSubmatch(r.Run("state", "pull")); found != nil {
		return found[1]
	}
	return ""
}
