package packets

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The pod that takes over at the second event was made when the first one was lost.
func TestAccPacketsCrossAgainWhenTheActivePodIsLostOrItsGatewayEnds(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.TwoNodes)
	// The client's gateway shows what a standby does in a fraction of the time: once it dials, packets cross. A server
	// waits until the client dials, for 15 s.
	p := lab.Join(t, "milan", acctest.OverNodePort+`
		client_gateway = { pods = { replicas = 2, lease_duration = "4s" } }`)
	active := lab.ActivePod(t, "rome", nil)
	for _, end := range []func(*corev1.Pod){
		func(pod *corev1.Pod) {
			acctest.Must(t, lab.Client(t, "rome").Delete(t.Context(), pod))
		},
		func(pod *corev1.Pod) { lab.KillIn(t, "rome", pod, "liqo-gateway") },
	} {
		leader := lab.NextLeader(t, "rome")
		end(active)
		active = leader()
		p.ComesBack()
	}
}
