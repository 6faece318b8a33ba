package direct

import (
	"context"
	"fmt"
	"strings"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	discoveryv1 "k8s.io/api/discovery/v1"
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

	addresses addresses                // as [member.look] has read them last
	enforced  map[string]liqo.Enforced // what may cross its networks, by the ID of the other cluster
}

// name is the user's name of the leaf or, if it is not known, the cluster ID.
func (m *member) name() string { return m.nameOf(m.id) }

func (m *member) nameOf(id string) string {
	if name, known := m.names[id]; known {
		return name
	}
	return id
}

// look returns how the leaf reaches each pod, by its EndpointSlices of the Service, and the obstacles. With requested,
// the Service requests direct connections.
func (m *member) look(
	ctx context.Context, pods []pod, list []discoveryv1.EndpointSlice, requested bool,
) ([]Endpoint, obstacles, error) {
	m.addresses = addressesIn(list)
	obstacles, err := m.obstacles(ctx, pods)
	if err != nil {
		return nil, nil, err
	}
	toCentre, err := configurationOf(ctx, m.leaf, string(m.service.Centre.ID))
	if err != nil {
		return nil, obstacles, err
	}
	all := make([]Endpoint, len(pods))
	for i, p := range pods {
		used := m.addresses.reflectedAddress(p)
		if p.cluster == m.id {
			used = m.addresses.ofOwn(p)
		}
		endpoint := Endpoint{
			Leaf: m.name(), Pod: p.name, Cluster: m.nameOf(p.cluster), Address: used.ip,
			Path: m.path(ctx, p, used.ip, toCentre),
		}
		if p.elsewhere(m) {
			if endpoint.standing, err = m.standing(ctx, p, endpoint.Path, used, obstacles[p.slice], requested); err != nil {
				return nil, obstacles, err
			}
			if endpoint.standing == failedOver {
				endpoint.Path = FailedOver
			}
			endpoint.explain(obstacles[p.slice])
		}
		all[i] = endpoint
	}
	return all, obstacles, nil
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

// standing decides how a pod of another leaf stands that the leaf reaches on this path. The obstacle may be nil.
func (m *member) standing(
	ctx context.Context, p pod, path Path, used address, obstacle *Obstacle, requested bool,
) (standing, error) {
	switch {
	case path == Direct && p.ready && !used.ready:
		return notReady, nil
	case path == Direct, !requested:
		return settled, nil
	case obstacle != nil && path == Stale && obstacle.Missing != [2]string{}:
		return stranded, nil
	case obstacle != nil:
		return hindered, nil //nolint:nilerr // that is the answer
	case path == Central && used.twin:
		return failedOver, nil
	case path == None:
		return untold, nil
	}
	able, err := liqo.CapabilitiesOf(ctx, m.leaf)
	if able.FollowsNetworks {
		return catchingUp, err
	}
	return outdated, err
}

// explain says what is wrong with how a pod of another leaf stands. The obstacle may be nil.
func (e *Endpoint) explain(obstacle *Obstacle) {
	var sentences []string
	say := func(format string, values ...any) { sentences = append(sentences, fmt.Sprintf(format, values...)) }
	if e.Path == Stale {
		say("Leaf %q has no network with this address, so packets are lost.", e.Leaf)
	}
	switch e.standing {
	case settled:
	case notReady:
		say("Liqo on leaf %q does not report the pod as ready, so the Service sends it no packets there: the network with "+
			"the central cluster or its API server is down.", e.Leaf)
	case hindered, stranded:
		sentences = append(append(sentences, obstacle.Evidence...), obstacle.Advice)
	case failedOver:
		say("The network of %q and %q is not connected, so Liqo on leaf %q sends packets through the central cluster until "+
			"it is again.", e.Leaf, e.Cluster, e.Leaf)
	case untold:
		say("Liqo has not told leaf %q about the pod yet.", e.Leaf)
	case catchingUp, outdated:
		say("Liqo on leaf %q has not looked at the Service since the network with %q is as it is now.", e.Leaf, e.Cluster)
		if e.standing == outdated {
			say("The next apply makes it do so.")
		} else {
			say("It does so by itself. If it does not, look at the log of liqo-controller-manager there.")
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
	err := leaf.ListCached(ctx, &list, client.MatchingLabels{consts.RemoteClusterID: remote})
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	return &list.Items[0], nil
}
