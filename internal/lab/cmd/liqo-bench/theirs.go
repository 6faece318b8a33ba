package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// theirs joins leaves with liqoctl.
type theirs struct {
	liqoctl    string
	kubeconfig string
	leaves     map[string]*leaf // keyed by name
}

// connect returns the duration of one `liqoctl network connect`.
func (t *theirs) connect(ctx context.Context, p pair) (time.Duration, error) {
	return t.run(ctx, p, "connect", "--gw-server-service-type", "NodePort", "--wait")
}

// connectEach joins the pairs one after the other and returns the duration.
func (t *theirs) connectEach(ctx context.Context, pairs []pair) (time.Duration, error) {
	start := time.Now()
	for _, p := range pairs {
		if _, err := t.connect(ctx, p); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// connectAll joins the pairs in parallel and returns the time until the last was done.
func (t *theirs) connectAll(ctx context.Context, pairs []pair) (time.Duration, error) {
	var running sync.WaitGroup
	errs := make([]error, len(pairs))
	start := time.Now()
	for i, p := range pairs {
		running.Go(func() { _, errs[i] = t.connect(ctx, p) })
	}
	running.Wait()
	return time.Since(start), errors.Join(errs...)
}

// remove disconnects the pairs one after the other, and removes what liqoctl leaves. It returns the
// duration.
func (t *theirs) remove(ctx context.Context, pairs []pair) (time.Duration, error) {
	start := time.Now()
	for _, p := range pairs {
		if _, err := t.run(ctx, p, "reset", "--skip-confirm"); err != nil {
			return 0, err
		}
	}
	err := t.clear(ctx, pairs)
	return time.Since(start), err
}

// clear removes everything that the pairs' leaves have of other clusters, in all leaves in parallel.
func (t *theirs) clear(ctx context.Context, pairs []pair) error {
	joined := map[string]*leaf{}
	for _, p := range pairs {
		joined[p.Client], joined[p.Server] = t.leaves[p.Client], t.leaves[p.Server]
	}
	return clearLeaves(ctx, slices.Collect(maps.Values(joined))...)
}

// run runs `liqoctl network` on a pair, from the client's side, as in liqoctl's documentation.
func (t *theirs) run(ctx context.Context, p pair, command string, flags ...string) (time.Duration, error) {
	args := []string{"network", command,
		"--kubeconfig", t.kubeconfig, "--context", p.Client,
		"--remote-kubeconfig", t.kubeconfig, "--remote-context", p.Server}
	_, took, err := timed(programs.Command(ctx, t.liqoctl, append(args, flags...)...))
	return took, err
}
