package connectivity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

const (
	// longestRun is how long a run may take if nobody sets a limit.
	longestRun = 10 * time.Minute
	// spare is by how much the pods may outlive the limit of a run, so that they do not end during it.
	spare = time.Minute
	// timeToRemove limits the removal of the pods, also after the limit of a run.
	timeToRemove = 30 * time.Second
)

// Options say what a test sends, and from where.
type Options struct {
	MaxNodes    int    // of each leaf, at most; zero stands for [MostNodes]
	Image       string // of the pods; empty stands for that of each leaf's own gateway
	PacketCount int    // to each pod

	// MaxLossPercent is the share of packets that may get lost, in percent.
	MaxLossPercent int

	// Progress, if it is not nil, is called with a sentence about each step.
	Progress func(string)
}

// Test is a test between two leaves.
type Test struct {
	client, server *station
	options        Options
	telling        sync.Mutex
}

// New returns a test between two leaves.
func New(client, server *cluster.Leaf, options Options) *Test {
	run := owner.NewToken()
	if options.Progress == nil {
		options.Progress = func(string) {}
	}
	t := &Test{client: newStation(client, server, run), server: newStation(server, client, run), options: options}
	t.client.other, t.server.other = t.server, t.client
	t.client.tell, t.server.tell = t.tell, t.tell
	return t
}

// both does something on both leaves at the same time.
func (t *Test) both(do func(*station) error) error {
	return errors.Join(parallel.Map([]*station{t.client, t.server}, do)...)
}

// Run runs the test, and returns what it has found. It leaves no pod, also after an error. If it could not remove them,
// the error says so, and the result is valid nevertheless if it has paths.
func (t *Test) Run(ctx context.Context) (_ Result, err error) {
	lifetime := longestRun
	if deadline, limited := ctx.Deadline(); limited {
		lifetime = time.Until(deadline)
	}
	if err := t.both(func(s *station) error {
		s.lifetime = lifetime + spare
		return s.prepare(ctx, t.options)
	}); err != nil {
		return Result{}, err
	}
	locked, release, err := t.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if err := t.both(func(s *station) error { return s.sweep(locked) }); err != nil {
		return Result{}, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToRemove)
		defer cancel()
		err = errors.Join(err, t.both(func(s *station) error { return s.remove(ctx, s.pods) }))
	}()
	return t.send(locked)
}

// send lets the pods of each leaf send packets to those of the other one.
func (t *Test) send(ctx context.Context) (Result, error) {
	began := time.Now()
	t.tell("Starting pods on %d nodes of %q and %d nodes of %q.",
		len(t.client.names), t.client.Leaf.Name, len(t.server.names), t.server.Leaf.Name)
	if err := t.both(func(s *station) error { return s.listen(ctx) }); err != nil {
		return Result{}, err
	}
	t.tell("The pods run, after %s. They send packets to each other.", time.Since(began).Round(time.Second))
	if err := t.both(func(s *station) error { return s.locate(ctx) }); err != nil {
		return Result{}, err
	}
	if err := t.both(func(s *station) error { return s.probe(ctx, t.options) }); err != nil {
		return Result{}, err
	}
	result := t.judge(ctx)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Result{}, context.Cause(ctx) // whoever has interrupted the test wants no result
	}
	return result, nil
}

// locate finds out at which addresses this leaf reaches the listeners of the other one.
func (s *station) locate(ctx context.Context) error {
	for _, pod := range s.other.listeners {
		address, err := liqo.RemappedAddress(ctx, s.Leaf, s.Remote.ID, pod.Status.PodIP)
		if err != nil {
			return fmt.Errorf("the address of %s of leaf %q, as leaf %q sees it: %w",
				s.other.Leaf.Describe(pod), s.other.Leaf.Name, s.Leaf.Name, err)
		}
		s.addresses = append(s.addresses, address)
	}
	return nil
}

// judge returns the result of a run whose probers have reported. If packets were lost, it looks further.
func (t *Test) judge(ctx context.Context) Result {
	result := Result{Paths: append(t.client.paths(), t.server.paths()...)}
	result.Central = centralLatency(ctx, t.client, t.server)
	result.Tunnel = tunnelLatency(t.client, t.server)
	result.Faults = t.faults(ctx, &result)
	return result
}
