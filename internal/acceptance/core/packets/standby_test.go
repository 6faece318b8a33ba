package packets

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// standbyOfClient are settings of a shortcut. The client's gateway shows what a standby does in a fraction of the time:
// once it dials, packets cross. A server waits until the client dials, for 15 s. Both pods are on the only node, which
// has no label of that name.
const standbyOfClient = acctest.OverNodePort + `
	client_gateway = { pods = { replicas = 2, failover = "4s", topology_key = "example.com/rack" } }`

// The pod that takes over at the second event was made when the first one was lost.
func TestAccPacketsCrossAgainWhenTheActivePodIsLostOrItsGatewayEnds(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", standbyOfClient)
	active := lab.ActivePod(t, "rome", nil)
	for _, end := range []func(*corev1.Pod){
		func(pod *corev1.Pod) {
			if err := lab.Client(t, "rome").Delete(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
		},
		func(pod *corev1.Pod) { lab.KillIn(t, "rome", pod, "liqo-gateway") },
	} {
		leader := lab.NextLeader(t, "rome")
		end(active)
		active = leader()
		p.ComesBack()
	}
}
