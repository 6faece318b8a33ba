package torture

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// conditions are the state of the network to a leaf's API server, as `liqo-lab relay` takes it.
type conditions struct {
	Delay  time.Duration `json:"delay"`  // of everything, each way
	Stalls int           `json:"stalls"` // one piece of so many comes 3 seconds later; 0 for none
	Cuts   int           `json:"cuts"`   // one piece of so many is lost with its connection; 0 for none
}

func TestAccTortureByABadNetworkEndsWithAllOrNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	dice := acctest.NewDice(t)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	between := acctest.NewRelay(t, leaves["milan"].Host, dice.Seed)
	bad := leaves["milan"]
	bad.Host = "https://" + between.Address
	leaves["milan"] = bad
	v := newVictim(t, lab, leaves, dice)
	for _, one := range acctest.SomeOf([]struct {
		name string
		conditions
	}{
		{"200 ms each way", conditions{Delay: 200 * time.Millisecond}},
		{"stalled for 3 s at random", conditions{Stalls: 40}},
		{"cut at random", conditions{Delay: 20 * time.Millisecond, Cuts: 60}},
	}, 1, dice) {
		t.Run(one.name, func(t *testing.T) {
			v.survives(
				t,
				one.name,
				func() { become(t, between, one.conditions) },
				func() { become(t, between, conditions{}) },
			)
		})
	}
}

// become changes the network. It returns once the change holds.
func become(t *testing.T, r *acctest.Relay, now conditions) {
	t.Helper()
	if err := json.NewEncoder(r.In).Encode(now); err != nil {
		t.Fatal(err)
	}
	r.Line(t)
}
