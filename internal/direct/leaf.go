package direct

import (
	"context"
	"fmt"
	"strings"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// member is a leaf into which the centre offloads the Service's namespace.
type member struct {
	destination

	service *Service
	leaf    *cluster.Leaf // nil if err is set
	err     error
	names   map[string]string // of all clusters that are concerned, by their IDs

	addresses addresses // as [member.observe] has read them
}

// name is the user's name of the leaf or, if it is not known, the cluster ID.
func (m *member) name() string { return m.nameOf(m.id) }

func (m *member) nameOf(id string) string {
	if name, known := m.names[id]; known {
		return name
	}
	return id
}

// endpoints returns how the leaf reaches each pod, from its EndpointSlices of the Service. With requested, the Service
// requests direct connections.
func (m *member) endpoints(
	ctx context.Context, pods []pod, addresses addresses, limits obstacles, requested bool,
) ([]Endpoint, error) {
	toCentre, err := configurationOf(ctx, m.leaf, string(m.service.Centre.ID))
	if err != nil {
		return nil, err
	}
	all := make([]Endpoint, len(pods))
	for i, p := range pods {
		used, twin := addresses.reflectedAddress(p)
		obstacle := limits.obstacleFor(p)
		if p.cluster == m.id {
			used = addresses.own[[2]string{p.name, string(p.kind)}]
		}
		endpoint := Endpoint{
			Leaf: m.name(), Pod: p.name, Cluster: m.nameOf(p.cluster), Address: used.ip,
			Path: m.path(ctx, p, used.ip, toCentre),
		}
		if endpoint.Path == Central && twin && obstacle == nil && requested {
			endpoint.Path = FailedOver
		}
		switch {
		case !p.elsewhere(m):
		case endpoint.Path != Direct:
			endpoint.explain(obstacle, requested, limits.followsNetworks)
		case p.ready && !used.ready:
			endpoint.Problem = fmt.Sprintf("Liqo on leaf %q does not report the pod as ready, so the Service sends it no "+
				"packets there: the network with the central cluster or its API server is down.", m.name())
		}
		all[i] = endpoint
	}
	return all, nil
}

// path returns the way to a pod at the address that the leaf uses. The Configuration is that for the centre, or nil.
func (m *member) path(
	ctx context.Context, p pod, address string, toCentre *networkingv1beta1.Configuration,
) Path {
	switch {
	case p.cluster == m.id:
		return Local
	case address == "":
		return None
	case address == m.directAddress(ctx, p):
		return Direct
	case p.elsewhere(m) && toCentre != nil && !leadsTo(toCentre, address):
		return Stale
	default:
		return Central
	}
}

// elsewhere reports whether the pod runs in another leaf than this one.
func (p pod) elsewhere(from *member) bool {
	return p.cluster != from.id && p.cluster != string(from.service.Centre.ID)
}

// explain adds why the pod of another leaf is not reached directly, if that is a problem. Liqo that follows networks
// looks at the Service by itself.
func (e *Endpoint) explain(obstacle *Obstacle, requested, followsNetworks bool) {
	var sentences []string
	if e.Path == Stale {
		sentences = append(sentences, fmt.Sprintf("Leaf %q has no network with this address, so packets are lost.", e.Leaf))
	}
	switch {
	case !requested:
	case obstacle != nil:
		sentences = append(append(sentences, obstacle.Evidence...), obstacle.Advice)
		e.late = e.Path == Stale && obstacle.Missing != [2]string{} // at least it could go through the centre again
		e.stuck = e.late
	case e.Path == FailedOver:
		sentences = append(sentences, fmt.Sprintf("The network of %q and %q is not connected, so Liqo on leaf %q sends "+
			"packets through the central cluster until it is again.", e.Leaf, e.Cluster, e.Leaf))
	case e.Path == None:
		sentences, e.late = append(sentences, fmt.Sprintf("Liqo has not told leaf %q about the pod yet.", e.Leaf)), true
	default:
		sentences, e.late = append(sentences, fmt.Sprintf("Liqo on leaf %q has not looked at the Service since the network "+
			"with %q is as it is now.", e.Leaf, e.Cluster)), true
		if e.stuck = !followsNetworks; e.stuck {
			sentences = append(sentences, "The next apply makes it do so.")
		} else {
			sentences = append(sentences,
				"It does so by itself. If it does not, look at the log of liqo-controller-manager there.")
		}
	}
	e.Problem = strings.Join(sentences, " ")
}

// directAddress returns the address at which the leaf reaches a pod over its network with the pod's cluster. It is
// empty if Liqo can't tell.
func (m *member) directAddress(ctx context.Context, p pod) string {
	address, err := liqo.RemappedAddress(ctx, m.leaf, liqov1beta1.ClusterID(p.cluster), p.address)
	if err != nil || !p.elsewhere(m) {
		return ""
	}
	return address
}

// configurationOf returns the Configuration of a leaf for another cluster, from the cache. It is nil if there is none.
func configurationOf(
	ctx context.Context, leaf *cluster.Leaf, remote string,
) (*networkingv1beta1.Configuration, error) {
	var list networkingv1beta1.ConfigurationList
	err := leaf.Cached.List(ctx, &list, client.MatchingLabels{consts.RemoteClusterID: remote})
	if err != nil || len(list.Items) == 0 {
		return nil, leaf.Explain(err)
	}
	return &list.Items[0], nil
}
