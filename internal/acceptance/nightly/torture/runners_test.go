package torture

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// duel is a torture of two runners that create the same shortcut at the same time.
type duel struct {
	t       *testing.T
	lab     *acctest.RealLab
	runners []*acctest.Runner
	random  *acctest.Dice
	took    time.Duration // a create that nothing disturbs
	before  []string      // the inventory of the lab without the shortcut
	tally   tally
}

// trouble is something that happens to one of two runners. It returns when it is over.
type trouble struct {
	name   string
	strike func(*acctest.Runner, *acctest.Execution) error
}

func TestAccTortureOfTwoRunnersOnOnePairEndsWithOneOwner(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	dice := acctest.NewDice(t)
	config := acctest.Joining("s", "rome", "milan", timeouts) + lab.Addresses("liqo_shortcut.s", "milan")
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	d := &duel{
		t: t, lab: lab, random: dice, tally: newTally(dice.Seed),
		runners: []*acctest.Runner{
			lab.NewRunner(t, "first", config, leaves), lab.NewRunner(t, "second", config, leaves),
		},
	}
	defer func() { tallies = append(tallies, d.tally) }()
	if !testing.Short() {
		clockIsAhead(d.runners[1])
	}
	for _, one := range d.runners {
		one.Run("init")
		acctest.DestroyAtLast(one.Project)
	}
	var err error
	if d.before, err = lab.Inventory(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d.runners[0].Run("apply", "-auto-approve")
	d.took = time.Since(began)
	d.runners[0].Run("destroy", "-auto-approve")
	for range acctest.Rounds(t, 3) {
		if err := d.round(); err != nil {
			t.Fatal(err) // what it has left would let the next round fail, too
		}
	}
}

// clockIsAhead gives a runner a provider whose clock is an hour ahead: one that is built with another time.Now.
func clockIsAhead(r *acctest.Runner) {
	r.T.Helper()
	root, err := acctest.Output("go", "env", "GOROOT")
	if err != nil {
		r.T.Fatal(err)
	}
	source := filepath.Join(root, "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		r.T.Fatal(err)
	}
	const now, anHour = "	sec, nsec, mono := runtimeNow()\n	if mono == 0 {\n", "	sec += 3600\n"
	if strings.Count(string(text), now) != 1 {
		r.T.Fatal("time.Now is not as it was")
	}
	read, use, _ := strings.Cut(now, "\n")
	shifted, overlay := filepath.Join(r.Home, "time.go"), filepath.Join(r.Home, "overlay.json")
	r.Write(shifted, strings.Replace(string(text), now, read+"\n"+anHour+use, 1))
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {source: shifted}})
	if err != nil {
		r.T.Fatal(err)
	}
	r.Write(overlay, string(replaced))
	mirror, err := acctest.BuildProvider("mirror-ahead", "-overlay", overlay)
	if err != nil {
		r.T.Fatal(err)
	}
	r.InstallFrom(mirror)
	r.Set("TF_DISABLE_PLUGIN_TLS", "1") // Terraform and its provider check each other's new certificates by their clocks
}

// token returns the owner's token in the state, or an empty string if the state has no shortcut.
func token(r *acctest.Runner) string {
	r.T.Helper()
	var state struct {
		Resources []struct {
			Instances []struct {
				Attributes struct {
					Token string `json:"owner_id"`
				} `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	text := r.Run("state", "pull")
	if text == "" {
		return "" // there is no state yet
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		r.T.Fatal(err)
	}
	for _, one := range state.Resources {
		if len(one.Instances) > 0 { // an apply that ends early can leave the husk of a resource, without instances
			return one.Instances[0].Attributes.Token
		}
	}
	return ""
}

// choose returns a random trouble.
func (d *duel) choose() trouble {
	longest := 30 * time.Second
	if testing.Short() {
		longest = 12 * time.Second
	}
	const shortest = 5 * time.Second
	lasts := shortest + d.random.Within(longest-shortest)
	leaves := [][]string{{"rome"}, {"milan"}, {"rome", "milan"}}[d.random.Below(3)]
	all := []trouble{
		{"nothing", func(*acctest.Runner, *acctest.Execution) error { return nil }},
		{"SIGKILL", func(_ *acctest.Runner, running *acctest.Execution) error { return running.Signal(syscall.SIGKILL) }},
		{"SIGSTOP", func(_ *acctest.Runner, running *acctest.Execution) error {
			err := running.Signal(syscall.SIGSTOP)
			pause(lasts)
			return errors.Join(err, running.Signal(syscall.SIGCONT))
		}},
		{"no way to " + strings.Join(leaves, " and "), func(struck *acctest.Runner, _ *acctest.Execution) error {
			var heal []func()
			for _, leaf := range leaves {
				heal = append(heal, struck.Ways[leaf].Cut())
			}
			pause(lasts)
			for _, one := range heal {
				one()
			}
			return nil
		}},
		{"401 by " + strings.Join(leaves, " and "), func(struck *acctest.Runner, _ *acctest.Execution) error {
			for _, leaf := range leaves {
				struck.Ways[leaf].Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
					clustertest.Refuse(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
					return true
				})
			}
			pause(lasts)
			for _, leaf := range leaves {
				struck.Ways[leaf].Disturb(nil)
			}
			return nil
		}},
	}
	return all[d.random.Below(len(all))]
}

// pause returns after a time that belongs to what is tested.
func pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}

// round lets both runners create the shortcut, and something happen to one of them. Its error says what is not as it
// must be then.
func (d *duel) round() error {
	happens, struck := d.choose(), d.random.Below(2)
	moment, gap := d.random.Within(d.took), d.random.Within(d.took)
	what := fmt.Sprintf("%s for %s after %s, the other one begins %s later", happens.name, d.runners[struck].Name,
		moment.Round(time.Millisecond), gap.Round(time.Millisecond))
	d.t.Log(what)
	d.tally.tried(happens.name)
	order := []int{struck, 1 - struck}
	if d.random.Below(2) == 0 {
		slices.Reverse(order)
	}
	running := make([]*acctest.Execution, 2)
	running[order[0]] = d.runners[order[0]].Begin("apply", "-auto-approve")
	pause(gap)
	running[order[1]] = d.runners[order[1]].Begin("apply", "-auto-approve")
	pause(max(0, moment-gap))
	err := happens.strike(d.runners[struck], running[struck])
	var outputs string
	for i, one := range running {
		output, failure := one.Wait()
		outputs += fmt.Sprintf("\n%s: %v\n%s", d.runners[i].Name, failure, output)
	}
	if err == nil {
		err = d.settles()
	}
	if err != nil {
		return fmt.Errorf("%s: %w\nThe applies said:%s", what, err, outputs)
	}
	d.tally.survived(happens.name)
	return nil
}

// settles lets the owner apply once more, checks that it is the only one, and destroys the shortcut.
func (d *duel) settles() error {
	owner, other, err := d.owner()
	if err != nil {
		return err
	}
	if output, err := owner.Begin("apply", "-auto-approve").Wait(); err != nil {
		return fmt.Errorf("once more: %w\n%s", err, output)
	}
	if output, err := owner.Begin("plan", "-detailed-exitcode").Wait(); err != nil {
		return fmt.Errorf("the plan of %s is not empty: %w\n%s", owner.Name, err, output)
	}
	if output, err := other.Begin("apply", "-auto-approve").Wait(); err == nil ||
		!strings.Contains(acctest.Unbroken(output), "exists already on leaf") || token(other) != "" {
		return fmt.Errorf("%s is not refused: %w\n%s", other.Name, err, output)
	}
	if err := d.isOf(owner); err != nil {
		return err
	}
	for from, at := range map[string]string{"rome": "server_at", "milan": "rome_at"} {
		address := owner.Run("output", "-raw", at)
		result := d.lab.Probe(d.t, "ping", from, address, "--until-answer", "--count=300", "--timeout=200ms")
		if result.Received == 0 {
			return fmt.Errorf("%s does not reach %s: %+v", from, address, result)
		}
	}
	if output, err := owner.Begin("destroy", "-auto-approve").Wait(); err != nil {
		return fmt.Errorf("destroy: %w\n%s", err, output)
	}
	err = d.lab.SameInventory(d.t.Context(), d.before)
	if err != nil {
		d.tally.leftOver += strings.Count(err.Error(), "\n+ ")
	}
	return err
}

// owner returns the runner whose state has the shortcut, and the other one. If no state has it, because the create was
// killed or refused, it is any of them. A state can have it until the next refresh although another one has taken over
// all objects.
func (d *duel) owner() (owner, other *acctest.Runner, err error) {
	owners, err := d.owners()
	if err != nil {
		return nil, nil, err
	}
	var having []int
	for i, one := range d.runners {
		if token(one) != "" {
			having = append(having, i)
		}
	}
	if len(having) == 2 {
		having = slices.DeleteFunc(having, func(i int) bool { return owners[token(d.runners[i])] == 0 })
	}
	switch len(having) {
	case 0:
		having = append(having, d.random.Below(2))
	case 1:
	default:
		return nil, nil, fmt.Errorf("both states have the shortcut, and the objects belong to %v", owners)
	}
	return d.runners[having[0]], d.runners[1-having[0]], nil
}

// isOf returns an error unless the network is complete, and all its objects have the token in the state of a runner.
func (d *duel) isOf(owner *acctest.Runner) error {
	owners, err := d.owners()
	const complete = 6 // two of each kind, and one gateway of each direction
	if err == nil && (len(owners) != 1 || owners[token(owner)] != complete) {
		err = fmt.Errorf("the state of %s has the token %q, and the objects belong to %v", owner.Name, token(owner), owners)
	}
	return err
}

// owners returns how many objects of the network have which token.
func (d *duel) owners() (map[string]int, error) {
	count := map[string]int{}
	for _, leaf := range []string{"rome", "milan"} {
		for _, list := range []client.ObjectList{
			&networkingv1beta1.ConfigurationList{}, &networkingv1beta1.PublicKeyList{},
			&networkingv1beta1.GatewayServerList{}, &networkingv1beta1.GatewayClientList{},
		} {
			if err := d.lab.Client(d.t, leaf).List(d.t.Context(), list); err != nil {
				return nil, err
			}
			if err := meta.EachListItem(list, func(item apiruntime.Object) error {
				if object, ok := item.(client.Object); ok {
					count[object.GetAnnotations()["terraform-provider-liqo/owner"]]++
				}
				return nil
			}); err != nil {
				return nil, err
			}
		}
	}
	return count, nil
}
