package direct

import (
	"cmp"
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Use is a Service whose pods a leaf reaches over its network with another leaf.
type Use struct {
	Centre          string // cluster ID of the centre that has the Service
	Namespace, Name string // of the Service, in the centre
	Remote          string // cluster ID of the other leaf
}

// originLabel is on what Liqo reflects to a leaf. Its value is the cluster ID of the centre. The constant of Liqo is in
// a package of the virtual kubelet, which this provider does not need otherwise.
const originLabel = "offloading.liqo.io/origin"

// Uses returns which Services of centres use networks of a leaf, sorted. It makes one request, and another one if there
// is any offloaded Service.
func Uses(ctx context.Context, leaf *cluster.Leaf) ([]Use, error) {
	var list discoveryv1.EndpointSliceList
	var configurations networkingv1beta1.ConfigurationList
	reflected := client.MatchingLabels{consts.ManagedByLabelKey: consts.ManagedByShadowEndpointSliceValue}
	if err := leaf.List(ctx, &list, reflected); err != nil || len(list.Items) == 0 {
		return nil, err
	}
	if err := leaf.ListCached(ctx, &configurations); err != nil {
		return nil, err
	}
	namespaces, err := originalNames(ctx, leaf)
	if err != nil {
		return nil, err
	}
	var all []Use
	for i := range list.Items {
		slice := &list.Items[i]
		centre := slice.Labels[originLabel]
		for _, remote := range remotes(slice, configurations.Items) {
			if remote == centre {
				continue
			}
			all = append(all, Use{
				Centre: centre, Remote: remote, Name: slice.Labels[discoveryv1.LabelServiceName],
				Namespace: cmp.Or(namespaces[[2]string{centre, slice.Namespace}], slice.Namespace),
			})
		}
	}
	slices.SortFunc(all, Use.compare)
	return slices.Compact(all), nil
}

func (u Use) compare(other Use) int {
	return cmp.Or(cmp.Compare(u.Centre, other.Centre), cmp.Compare(u.Namespace, other.Namespace),
		cmp.Compare(u.Name, other.Name), cmp.Compare(u.Remote, other.Remote))
}

// remotes returns the IDs of the clusters whose networks the addresses of an EndpointSlice belong to.
func remotes(slice *discoveryv1.EndpointSlice, configurations []networkingv1beta1.Configuration) []string {
	var all []string
	for _, endpoint := range slice.Endpoints {
		for _, address := range endpoint.Addresses {
			for i := range configurations {
				if leadsTo(&configurations[i], address) {
					all = append(all, cluster.RemoteID(&configurations[i]))
				}
			}
		}
	}
	return all
}

// originalNames returns the names that namespaces of a leaf have in the centre, by the centre's ID and the name in the
// leaf.
func originalNames(ctx context.Context, leaf *cluster.Leaf) (map[[2]string]string, error) {
	var maps offloadingv1beta1.NamespaceMapList
	if err := leaf.List(ctx, &maps, client.MatchingLabels{consts.ReplicationStatusLabel: "true"}); err != nil {
		return nil, err
	}
	names := map[[2]string]string{}
	for i := range maps.Items {
		for original, remote := range maps.Items[i].Spec.DesiredMapping {
			names[[2]string{cluster.RemoteID(&maps.Items[i]), remote}] = original
		}
	}
	return names, nil
}
