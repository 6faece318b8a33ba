package cluster

import (
	"context"
	"sync"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	"golang.org/x/sync/errgroup"
)

// Networks are a leaf's own address ranges, in CIDR notation, as Liqo's IPAM has them.
type Networks struct {
	PodCIDRs     []string
	ExternalCIDR string
}

// Networks reads the leaf's address ranges from the API server, once; they can't change while Liqo is installed.
func (l *Leaf) Networks(ctx context.Context) (Networks, error) {
	return l.networks.get(func() (Networks, error) {
		var found Networks
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) {
			found.PodCIDRs, err = ipamutils.GetPodCIDRs(ctx, l.Live, l.LiqoNamespace)
			return err
		})
		group.Go(func() (err error) {
			found.ExternalCIDR, err = ipamutils.GetExternalCIDR(ctx, l.Live, l.LiqoNamespace)
			return err
		})
		return found, l.Explain(group.Wait())
	})
}

// memo remembers the first success of a function, and no failure.
type memo[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

func (m *memo[T]) get(ask func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known {
		return m.value, nil
	}
	value, err := ask()
	if err != nil {
		return value, err
	}
	m.value, m.known = value, true
	return value, nil
}

// TakenNetworks reads every range that Liqo's IPAM has given out on this leaf, its own ones included, from the API server.
func (l *Leaf) TakenNetworks(ctx context.Context) ([]ipamv1alpha1.Network, error) {
	var list ipamv1alpha1.NetworkList
	if err := l.Live.List(ctx, &list); err != nil {
		return nil, l.Explain(err)
	}
	return list.Items, nil
}
