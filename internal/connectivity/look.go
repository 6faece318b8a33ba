package connectivity

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// look finds out what else both leaves show of packets that get lost. It waits for slow nodes. What they do not tell,
// nobody knows.
func (t *Test) look(ctx context.Context) {
	t.tell("Packets get lost. Pods without a route start, and the gateways report their tunnel again.")
	_ = t.both(func(s *station) error {
		reported := make(chan liqo.Objects)
		go func() { reported <- s.reportedAnew(ctx) }()
		s.detour(ctx)
		s.objects = <-reported
		return nil
	})
	t.tell("The other pods look again.") // now, because packets may pass again
	_ = t.both(func(s *station) error {
		var err error
		s.again, err = s.ask(ctx, again, "the test's pods to look again", pingScript+lookScript,
			func(int) []string { return append([]string{s.overlay}, s.addresses...) })
		s.miss("What pods see when they look again", err)
		return nil
	})
	t.tell("The pods end, and say what has arrived.")
	_ = t.both(func(s *station) error {
		s.hear(ctx)
		return nil
	})
}

// A detour is a pod to which Liqo makes no route, because it looks like one that runs in another cluster. What comes to
// it from the tunnel leaves its gateway by the pod network. So it tells an overlay that carries nothing to a node from
// a gateway that passes nothing on. Pod networks that let a pod send only with its own address drop such packets. Then
// it says nothing.

// detour lets such a pod on each node ping the listeners of the other leaf, and reads what it reports.
func (s *station) detour(ctx context.Context) {
	pods, err := s.run(ctx, "the test's pods without a route to send their packets", func(node int) *corev1.Pod {
		pod := s.newPod("detour", pingScript+lookScript, node, append([]string{""}, s.addresses...)...)
		pod.Labels[consts.LocalPodLabelKey] = consts.LocalPodLabelValue
		return pod
	}, hasEnded)
	s.miss("What pods without a route see", err)
	for _, pod := range pods {
		report, _ := parseReport(whyEnded(pod))
		s.detours = append(s.detours, report)
	}
}

// reportedAnew returns the objects when the gateway has reported its tunnel as up once more. A gateway that does not do
// so within the time in which it should is silent, however slow it is, or its tunnel is down. One that is reported as
// down may just be up again, so that is awaited, too.
func (s *station) reportedAnew(ctx context.Context) liqo.Objects {
	last := s.objects
	pings, err := liqo.PingsOf(ctx, s.Leaf, last.Gateway)
	if err != nil {
		pings = liqo.UsualPings()
	}
	ctx, cancel := context.WithTimeout(ctx, pings.MaxSilence())
	defer cancel()
	var first *liqo.Latency
	known := false
	s.isUp = pings.Enabled && s.Leaf.Until(ctx, string(s.Remote.ID), func(ctx context.Context) (bool, error) {
		objects, err := s.Observe(ctx)
		if err != nil || objects.Gateway == nil {
			return false, err
		}
		last = objects
		current := objects.Latency()
		if !known {
			first, known = current, true
		}
		return last.Tunnel() == networkingv1beta1.Connected &&
			current != nil && (first == nil || current.MeasuredAt.After(first.MeasuredAt)), nil
	}, &networkingv1beta1.Connection{}) == nil && last.Tunnel() == networkingv1beta1.Connected
	return last
}
