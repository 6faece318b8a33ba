package packets

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The pod that takes over at the second event was made when the first one was lost.
func TestAccPacketsCrossAgainWhenTheActivePodIsLostOrItsGatewayEnds(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.StandbyOfClient)
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
