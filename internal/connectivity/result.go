package connectivity

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// Result is what a test has found.
type Result struct {
	Paths   []Path        // from each node of either leaf to each node of the other, the client's first
	Faults  []Fault       // what keeps packets from passing; empty if nothing does
	Tunnel  time.Duration // the latency between the two gateways, as they measured it last; zero if none has
	Central *Central      // nil if no other cluster joins the two leaves
}

// Path is the way from a pod on a node of one leaf to a pod on a node of the other one.
type Path struct {
	From, To Place
	Address  string // of the pod, as the other leaf reaches it
	Sent     int    // packets
	Answered int
	Lost     bool    // whether nothing was answered any more at the end, also if the first packets were
	Latency  Latency // zero if nothing was answered
	// Largest is the size in bytes of the largest packet that passes undivided. It is zero if none was measured.
	Largest int
	// Expected is the size that should pass: the MTU of the tunnel or, if that is less, of a pod.
	Expected int

	way
}

// Place is a node of a leaf.
type Place struct{ Leaf, Node string }

// LossPercent is the share of packets that were lost, in percent.
func (p *Path) LossPercent() float64 {
	return 100 * float64(p.Sent-p.Answered) / float64(max(p.Sent, 1))
}

// Central is what packets take that go through another cluster with which both leaves have a network.
type Central struct {
	ID      liqov1beta1.ClusterID
	Latency time.Duration // the sum of the latencies between each leaf's gateway and the cluster's
}

// PathMTU returns the size in bytes of the largest packet that passes undivided on all paths on which one was measured.
// It is zero if there is none.
func (r *Result) PathMTU() int {
	mtu := 0
	for _, path := range r.Paths {
		if path.Largest > 0 && (mtu == 0 || path.Largest < mtu) {
			mtu = path.Largest
		}
	}
	return mtu
}

// paths returns the paths from this leaf to the other one, as the probers have reported them.
func (s *station) paths() []Path {
	var paths []Path
	for i, from := range s.reports {
		for j, address := range s.addresses {
			answer := from.answers[address]
			path := Path{
				From: s.place(i), To: s.other.place(j), Address: address,
				Expected: min(s.mtu(), cmp.Or(from.mtu, s.mtu()), cmp.Or(s.other.reports[j].mtu, s.mtu())),
				Lost:     answer == nil || !answer.passes(),
				way:      way{from: s, to: s.other, source: i, target: j},
			}
			if answer != nil {
				path.Sent, path.Answered = answer.Sent, answer.Answered
				path.Latency, path.Largest = answer.Latency, answer.Largest
			}
			paths = append(paths, path)
		}
	}
	return paths
}

func (s *station) place(node int) Place { return Place{s.Leaf.Name, s.names[node]} }

// tunnelLatency returns the larger of the latencies that the two gateways have measured.
func tunnelLatency(client, server *station) time.Duration {
	var largest time.Duration
	for _, s := range []*station{client, server} {
		if latency := s.objects.Latency(); latency != nil {
			largest = max(largest, latency.Value)
		}
	}
	return largest
}

// centralLatency returns the least latency through a cluster with which both leaves have a network that is up. It reads
// the leaves' caches.
func centralLatency(ctx context.Context, client, server *station) *Central {
	fromClient, err := end.ObserveNetworks(ctx, client.Leaf, owner.Owner{})
	if err != nil {
		return nil // the test itself has the result that matters
	}
	fromServer, err := end.ObserveNetworks(ctx, server.Leaf, owner.Owner{})
	if err != nil {
		return nil
	}
	var least *Central
	for _, id := range slices.Sorted(maps.Keys(fromClient)) {
		one, other := fromClient[id].Latency(), fromServer[id].Latency()
		if one == nil || other == nil {
			continue
		}
		if sum := one.Value + other.Value; least == nil || sum < least.Latency {
			least = &Central{ID: liqov1beta1.ClusterID(id), Latency: sum}
		}
	}
	return least
}
