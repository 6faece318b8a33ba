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

// startCaches returns at once; the channel answers when the caches have been filled, or never will be.
func startCaches(ctx, lifetime context.Context, objects cache.Cache, health *health) (<-chan error, error) {
	var informers []cache.Informer
	for _, kind := range cachedKinds() {
		informer, err := objects.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("cache of %T: %w", kind, err)
		}
		informers = append(informers, informer)
	}
	go func() { _ = objects.Start(lifetime) }() // returns when lifetime ends
	synced := make(chan error, 1)
	go func() {
		ctx, cancel := health.watch(ctx)
		defer cancel()
		err := untilSynced(ctx, informers)
		if fatal := health.err(); fatal != nil {
			err = fatal // which is also the cause why ctx has ended
		} else if err != nil {
			err = errors.Join(context.Cause(ctx), health.lastErr())
		}
		synced <- err
	}()
	return synced, nil
}

// syncPeriod is how often an informer is asked whether it has been filled: it has no event for that. Client-go's own wait asks every 100 ms, which is longer than
// a cache takes to fill.
const syncPeriod = 5 * time.Millisecond

// untilSynced returns when all informers have been filled, or with the context's error.
func untilSynced(ctx context.Context, informers []cache.Informer) error {
	//nolint:forbidigo // the only wait without an event, see syncPeriod
	return wait.PollUntilContextCancel(ctx, syncPeriod, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(informers, func(informer cache.Informer) bool { return !informer.HasSynced() }), nil
	})
}
