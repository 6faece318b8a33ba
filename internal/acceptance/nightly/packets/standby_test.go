package packets

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Each of these events leaves a pod that seems ready, and waits for a message that its other containers have sent long
// ago. The next event needs it: without its probes, nothing takes over at the second one. Of two pods that wait in vain,
// either may be the first to lead again. WireGuard in the former pod runs on for a while, with its session: when it says
// so to the server, the answer to a packet may go there. So packets come back, but single ones may still be lost.
func TestAccPacketsCrossAgainWhicheverProgramOfTheActivePodEnds(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.StandbyOfClient)
	active := lab.ActivePod(t, "rome", nil)
	for _, program := range []string{"liqo-gateway", "liqo-gateway", "liqo-wireguard", "liqo-gateway"} {
		leader := lab.NextLeader(t, "rome")
		lab.KillIn(t, "rome", active, program)
		next := leader()
		p.ComesBack()
		t.Logf("%s of %s has ended, and %s leads now", program, active.Name, next.Name)
		active = next
	}
}
