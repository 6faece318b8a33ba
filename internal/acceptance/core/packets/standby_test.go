package packets

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossAgainWhenTheActivePodIsLost(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.StandbyOfClient)
	for range 2 { // the second one was made when the first one was lost
		active := lab.ActivePod(t, "rome", nil)
		if err := lab.Client(t, "rome").Delete(t.Context(), active); err != nil {
			t.Fatal(err)
		}
		lab.ActivePod(t, "rome", active)
		p.Works()
	}
}
