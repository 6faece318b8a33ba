package cluster

import (
	"context"
	"net/netip"
	"strings"
	"sync"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	"github.com/liqotech/liqo/pkg/consts"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Networks are a leaf's own address ranges, in CIDR notation, as Liqo's IPAM has them.
type Networks struct {
	PodCIDRs     []string
	ExternalCIDR string
}

// Networks reads the leaf's address ranges from the API server once. They can't change while Liqo
// is installed.
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
		err := group.Wait() // before found is read
		return found, l.Explain(err)
	})
}

// memo keeps the result of a function's first success. It keeps no failure.
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

// TakenNetworks reads from the API server every range that Liqo's IPAM has allocated on this leaf,
// including the leaf's own ranges.
func (l *Leaf) TakenNetworks(ctx context.Context) ([]ipamv1alpha1.Network, error) {
	var list ipamv1alpha1.NetworkList
	if err := l.Live.List(ctx, &list); err != nil {
		return nil, l.Explain(err)
	}
	return list.Items, nil
}

// ipamLabels are the labels that Liqo's chart sets on the Deployment of its IPAM.
var ipamLabels = client.MatchingLabels{"app.kubernetes.io/name": "ipam", "app.kubernetes.io/component": "ipam"}

// poolsFlag is the IPAM's flag that lists the pools.
const poolsFlag = "--pools="

// Pools returns the ranges from which Liqo's IPAM on this leaf allocates, as the arguments of its
// Deployment list them. Any range outside them is remapped. The result is nil if the pools are
// unknown, for example with a custom IPAM. Pools asks the API server once.
func (l *Leaf) Pools(ctx context.Context) []netip.Prefix {
	pools, err := l.pools.get(func() ([]netip.Prefix, error) {
		var ipams appsv1.DeploymentList
		err := l.Live.List(ctx, &ipams, client.InNamespace(l.LiqoNamespace), ipamLabels)
		if err != nil || len(ipams.Items) != 1 {
			return nil, err
		}
		return poolsOf(&ipams.Items[0])
	})
	if err != nil {
		return nil
	}
	return pools
}

// poolsOf reads the pools from the arguments of an IPAM. Without the flag, the IPAM uses Liqo's
// default.
func poolsOf(ipam *appsv1.Deployment) ([]netip.Prefix, error) {
	texts := consts.PrivateAddressSpace
	for _, container := range ipam.Spec.Template.Spec.Containers {
		for _, argument := range container.Args {
			if list, ok := strings.CutPrefix(argument, poolsFlag); ok {
				texts = strings.Split(list, ",")
			}
		}
	}
	pools := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		pool, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		pools[i] = pool
	}
	return pools, nil
}
