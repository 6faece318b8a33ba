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
		err := group.Wait() // before what was found is read
		return found, l.Explain(err)
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

// ipamLabels are those that Liqo's chart gives to the Deployment of its IPAM, and poolsFlag is the flag of its program that names the pools.
var ipamLabels = client.MatchingLabels{"app.kubernetes.io/name": "ipam", "app.kubernetes.io/component": "ipam"}

const poolsFlag = "--pools="

// Pools are the ranges that Liqo's IPAM on this leaf gives ranges out of, from the arguments of its Deployment: whatever lies outside is remapped. They are nil where
// that can't be told, as with an IPAM of one's own. The API server is asked once.
func (l *Leaf) Pools(ctx context.Context) []netip.Prefix {
	pools, err := l.pools.get(func() ([]netip.Prefix, error) {
		var ipams appsv1.DeploymentList
		if err := l.Live.List(ctx, &ipams, client.InNamespace(l.LiqoNamespace), ipamLabels); err != nil || len(ipams.Items) != 1 {
			return nil, err
		}
		return poolsOf(&ipams.Items[0])
	})
	if err != nil {
		return nil
	}
	return pools
}

// poolsOf reads the pools from the arguments of an IPAM. Without that flag, it has Liqo's default.
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
