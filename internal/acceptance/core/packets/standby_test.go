package packets

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The client's gateway shows what a standby does in a fraction of the time: once it dials, packets cross. A server
// waits until the client dials, for 15 s. Both pods are on the only node, because it has no label of that name.
const standbyOfClient = acctest.OverNodePort + `
	client_gateway = { pods = { replicas = 2, failover = "4s", topology_key = "example.com/rack" } }`

func TestAccPacketsCrossAgainWhenTheActivePodIsLost(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", standbyOfClient)
	for range 2 { // the second one was made when the first one was lost
		active := lab.ActivePod(t, "rome", nil)
		if err := lab.Client(t, "rome").Delete(t.Context(), active); err != nil {
			t.Fatal(err)
		}
		lab.ActivePod(t, "rome", active)
		p.Works()
	}
}

// Each of these events leaves a pod that seems ready, and waits for a message that its other containers have sent long
// ago. The next event needs it. Without its probes, nothing takes over at the second one. WireGuard in the former pod
// runs on for a while, with its session: when it says so to the server, the answer to a packet may go there. So packets
// come back, but single ones may still be lost.
func TestAccPacketsCrossAgainWhicheverProgramOfTheActivePodEnds(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", standbyOfClient)
	for _, program := range []string{"liqo-gateway", "liqo-gateway", "liqo-wireguard", "liqo-gateway"} {
		active := lab.ActivePod(t, "rome", nil)
		lab.KillIn(t, "rome", active, program)
		next := lab.ActivePod(t, "rome", active)
		p.ComesBack()
		t.Logf("%s of %s has ended, and %s has taken over", program, active.Name, next.Name)
	}
}
