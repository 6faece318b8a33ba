package connectivity

import (
	"context"
	"time"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
)

// A detour is a pod to which Liqo makes no route, because it looks like one that runs in another cluster. What comes to
// it from the tunnel leaves its gateway by the pod network, as with every pod until its kubelet has reported it. So it
// tells an overlay that carries nothing to a node from a gateway that passes nothing on. Pod networks that let a pod
// send only with its own address drop such packets. Then it says nothing.

// timeToDetour is how long the pods may take.
const timeToDetour = time.Minute

// detour lets such a pod on each node ping the listeners of the other leaf, and reads what it reports. What a pod does
// not report, nobody knows.
func (s *station) detour(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, timeToDetour)
	defer cancel()
	pods, _ := s.run(ctx, "the test's pods without a route to send their packets", func(node int) *corev1.Pod {
		pod := s.newPod("detour", pingScript+detourScript, node, s.addresses...)
		pod.Labels[consts.LocalPodLabelKey] = consts.LocalPodLabelValue
		return pod
	}, hasEnded)
	for _, pod := range pods {
		report, _ := parseReport(whyEnded(pod))
		s.detours = append(s.detours, report)
	}
}

// detour is what came back on a way to a pod without a route.
func (w way) detour() *answer { return w.in(w.from.detours) }

// roundabout reports whether answers come to the source of a way past the overlay only: at the same time, a pod with a
// route there does not answer the target. Otherwise, packets may just pass again.
func (w way) roundabout() bool {
	back := w.reverse().detour()
	return w.detour().lasts() && back.Sent > 0 && !back.lasts()
}
