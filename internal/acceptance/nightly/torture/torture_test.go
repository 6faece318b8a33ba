package torture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// timeouts end an operation that waits for what someone else has removed meanwhile.
const timeouts = `timeouts = { create = "90s", update = "90s", delete = "90s" }`

// timeToEnd is how long Terraform may take to end after an interruption.
const timeToEnd = 5 * time.Second

// torture disturbs creates, updates and destroys of one shortcut at random moments. After each of them, the same
// command once more must succeed.
type torture struct {
	t       *testing.T
	lab     *acctest.Lab
	project *acctest.Project
	random  *acctest.Dice

	exists bool
	mtu    int
	keys   int                      // the number of rotations of the keys
	took   map[string]time.Duration // undisturbed, keyed by the operation
	before []string                 // the inventory of the lab without the shortcut
	tally  tally
}

func TestAccTortureOfAShortcutEndsWithAllOrNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	dice := acctest.NewDice(t)
	r := &torture{
		t: t, lab: lab, project: lab.StateIn(t, "tortured", ""), mtu: 1340, took: map[string]time.Duration{},
		random: dice, tally: newTally(dice.Seed),
	}
	defer func() { tallies = append(tallies, r.tally) }()
	acctest.DestroyAtLast(r.project)
	var err error
	if r.before, err = lab.Inventory(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r.undisturbed()
	}
	for range acctest.Rounds(t, 10) {
		if err := r.round(); err != nil {
			t.Fatal(err) // what it has left would let the next round fail, too
		}
	}
}

// undisturbed runs the next operation without a fault, and records how long it takes.
func (r *torture) undisturbed() {
	operation := r.next()
	began := time.Now()
	output, err := r.start(operation).Wait()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", operation, err, output)
	}
	r.took[operation] = time.Since(began)
	r.exists = operation != "destroy"
}

// next chooses the next operation, and configures it. The first three are a create, an update and a destroy.
func (r *torture) next() string {
	_, updated := r.took["update"]
	operation := "create"
	switch {
	case r.exists && (!updated || len(r.took) == 3 && r.random.Below(2) == 0):
		operation = "update"
		if r.random.Below(2) == 0 {
			r.mtu = 2740 - r.mtu // 1340 and 1400
		} else {
			r.keys++
		}
	case r.exists:
		operation = "destroy"
	}
	settings := fmt.Sprintf("mtu = %d\nkey_rotation = %d\n%s", r.mtu, r.keys, timeouts)
	r.project.Configure(acctest.Joining("s", "rome", "milan", settings))
	return operation
}

// round runs one operation with one fault at a random moment, and then without one. Its error says what is not as it
// must be then.
func (r *torture) round() error {
	operation := r.next()
	fault, moment := r.chooseFault(operation), r.random.Within(r.took[operation])
	what := fmt.Sprintf("%s, %s after %s", operation, fault.name, moment.Round(time.Millisecond))
	r.t.Log(what)
	r.tally.tried(fault.name)
	restoreState := r.keepState()
	if err := errors.Join(r.disturb(operation, moment, fault), restoreState()); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := r.converges(operation); err != nil {
		return fmt.Errorf("%s, and then: %w", what, err)
	}
	r.exists = operation != "destroy"
	r.tally.survived(fault.name)
	return nil
}

// keepState returns a function that restores the state of now if Terraform has lost it. Terraform empties the file of
// a local state before it writes it, and a kill or a second interruption may come between the two.
func (r *torture) keepState() (restore func() error) {
	file := filepath.Join(r.project.Dir, "terraform.tfstate")
	before, err := os.ReadFile(file)
	existed := err == nil
	return func() error {
		if !existed {
			return nil
		}
		if now, err := os.Stat(file); err != nil || now.Size() > 0 {
			return err
		}
		r.t.Log("Terraform has left an empty state: restore the former one")
		return os.WriteFile(file, before, 0o600)
	}
}

// disturb runs an operation with a fault. If the operation fails because a leaf was away, it must name the leaf.
func (r *torture) disturb(operation string, moment time.Duration, fault fault) error {
	if fault.strike == nil {
		return r.compete()
	}
	running := r.start(operation)
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-running.Ended: // the fault comes too late, and must do no harm either
	}
	struck := time.Now()
	if err := fault.strike(r, running); err != nil {
		return err
	}
	output, err := running.Wait()
	if took := time.Since(struck); fault.interrupts {
		r.tally.interrupted(took)
		if took > timeToEnd {
			return fmt.Errorf("the end of Terraform came %s after SIGINT:\n%s", took, output)
		}
	}
	if err != nil && fault.leaf != "" && !strings.Contains(output, strconv.Quote(fault.leaf)) {
		return fmt.Errorf("the error does not name leaf %q:\n%s", fault.leaf, output)
	}
	return nil
}

// converges runs an operation once more. It must succeed, and leave one whole shortcut or none.
func (r *torture) converges(operation string) error {
	again, err := r.start(operation).Wait()
	if err != nil {
		return fmt.Errorf("once more: %w\n%s", err, again)
	}
	if operation == "destroy" {
		if err := r.lab.SameInventory(r.t.Context(), r.before); err != nil {
			r.tally.leftOver += strings.Count(err.Error(), "\n+ ")
			return fmt.Errorf("%w\nafter:\n%s", err, again)
		}
		return nil
	}
	if output, err := r.project.Begin("plan", "-detailed-exitcode").Wait(); err != nil {
		return fmt.Errorf("the next plan is not empty: %w\n%s\nafter:\n%s", err, output, again)
	}
	return r.isSingle()
}

// isSingle returns an error unless each leaf has one object of each kind for the other leaf.
func (r *torture) isSingle() error {
	var errs []error
	for leaf, gateways := range map[string]client.ObjectList{
		"rome": &networkingv1beta1.GatewayClientList{}, "milan": &networkingv1beta1.GatewayServerList{},
	} {
		for _, list := range []client.ObjectList{
			gateways, &networkingv1beta1.ConfigurationList{}, &networkingv1beta1.PublicKeyList{},
			&networkingv1beta1.ConnectionList{},
		} {
			if count, err := count(r.t, r.lab, leaf, list); err != nil || count != 1 {
				errs = append(errs, fmt.Errorf("%d objects in a %T on %q (%w)", count, list, leaf, err))
			}
		}
	}
	return errors.Join(errs...)
}

// count returns how many objects of a kind a cluster has.
func count(t *testing.T, l *acctest.Lab, name string, list client.ObjectList) (int, error) {
	t.Helper()
	if err := l.Client(t, name).List(t.Context(), list); err != nil {
		return 0, err
	}
	return meta.LenList(list), nil
}

// start starts an operation.
func (r *torture) start(operation string) *acctest.Execution {
	if operation != "destroy" {
		operation = "apply" // it creates, too
	}
	return r.project.Begin(operation, "-auto-approve")
}
