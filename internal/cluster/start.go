package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// startCaches starts the caches, which run until ctx ends, and returns immediately. The channel receives nil once the
// caches are filled, or the error that prevents it.
func startCaches(ctx context.Context, objects cache.Cache, health *health) (<-chan error, error) {
	var informers []cache.Informer
	for _, kind := range cachedKinds() {
		informer, err := objects.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("cache of %T: %w", kind, err)
		}
		informers = append(informers, informer)
	}
	go func() { _ = objects.Start(ctx) }() // returns when ctx ends
	synced := make(chan error, 1)
	go func() {
		ctx, cancel := health.watch(ctx)
		defer cancel()
		err := untilSynced(ctx, informers)
		if fatal := health.err(); fatal != nil {
			err = fatal // also the cause of ctx's end
		} else if err != nil {
			err = errors.Join(context.Cause(ctx), health.lastErr())
		}
		synced <- err
	}()
	return synced, nil
}

// syncPeriod is the interval at which an informer is asked whether it is filled, because informers have no event for
// this. Client-go's own wait asks every 100 ms, which is longer than a cache takes to fill.
const syncPeriod = 5 * time.Millisecond

// untilSynced returns when all informers are filled, or with the context's error.
func untilSynced(ctx context.Context, informers []cache.Informer) error {
	//nolint:forbidigo // the only wait without an event, see syncPeriod
	return wait.PollUntilContextCancel(ctx, syncPeriod, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(informers, func(informer cache.Informer) bool { return !informer.HasSynced() }), nil
	})
}
