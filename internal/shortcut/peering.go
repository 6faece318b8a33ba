package shortcut

import (
	"context"
	"fmt"
	"slices"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// peering names the peering with the other cluster that this leaf takes part in; empty where there is none. Liqo keeps it in its record of that cluster:
// a peering authenticates, and a shortcut never does.
func (s *side) peering(ctx context.Context) (string, error) {
	foreign, err := fcutils.GetForeignClusterByID(ctx, s.leaf.Cached, s.remote.ID)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", s.leaf.Explain(err)
	}
	if !peered(foreign) {
		return "", nil
	}
	return fmt.Sprintf("the peering with %q (ForeignCluster %s, role %s)", s.remote.Name, foreign.Name, foreign.Status.Role), nil
}

// peered reports whether Liqo's record of another cluster shows a peering.
func peered(foreign *liqov1beta1.ForeignCluster) bool {
	return foreign.Status.Modules.Authentication.Enabled || foreign.Status.Modules.Offloading.Enabled
}

// livingPeering is the same for a removal, which must be certain: Liqo clears its record while a gateway has no Deployment, so the leaf is also asked for what a peering
// is made of.
func (s *side) livingPeering(ctx context.Context) (string, error) {
	recorded, err := s.peering(ctx)
	if err != nil || recorded != "" {
		return recorded, err
	}
	parts, err := s.peeringParts(ctx)
	if err != nil || len(parts) == 0 {
		return "", err
	}
	return fmt.Sprintf("the peering with %q (%s)", s.remote.Name, explain.Names(s.leaf, parts...)), nil
}

// peeringParts are the objects of a peering with the other cluster: the Tenant that it is here, the Identities that this leaf has there, and the resources that one asks
// of the other. A leaf that does not know these kinds has no peering.
func (s *side) peeringParts(ctx context.Context) ([]client.Object, error) {
	var (
		tenants    authv1beta1.TenantList
		identities authv1beta1.IdentityList
		slices     authv1beta1.ResourceSliceList
		asking     errgroup.Group
	)
	for _, list := range []client.ObjectList{&tenants, &identities, &slices} {
		asking.Go(func() error {
			err := s.leaf.Live.List(ctx, list)
			if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
				return nil
			}
			return s.leaf.Explain(err)
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	var parts []client.Object
	for i := range tenants.Items {
		parts = s.appendOf(parts, &tenants.Items[i], tenants.Items[i].Spec.ClusterID)
	}
	for i := range identities.Items {
		parts = s.appendOf(parts, &identities.Items[i], identities.Items[i].Spec.ClusterID)
	}
	for i := range slices.Items {
		spec := slices.Items[i].Spec
		parts = s.appendOf(parts, &slices.Items[i], ptr.Deref(spec.ConsumerClusterID, ""), ptr.Deref(spec.ProviderClusterID, ""))
	}
	return parts, nil
}

// appendOf appends an object that speaks of these clusters, if the other cluster is one of them. People who write one by hand may leave out Liqo's label or the ID.
func (s *side) appendOf(parts []client.Object, object client.Object, ids ...liqov1beta1.ClusterID) []client.Object {
	if cluster.RemoteID(object) == string(s.remote.ID) || slices.Contains(ids, s.remote.ID) {
		return append(parts, object)
	}
	return parts
}

// checkNoPeering makes sure that this peering, if there is one, does not lose its network. It loses nothing where nothing of the network is the owner's.
func (s *side) checkNoPeering(ctx context.Context, peering string) error {
	found, err := s.find(ctx)
	if err != nil || peering == "" || len(found.owned(s.owner)) == 0 {
		return err
	}
	return &explain.Problem{
		Leaf:    s.leaf.Name,
		Summary: "a peering uses the network",
		Detail: fmt.Sprintf("This leaf needs the network for %s. Nothing was removed. End the peering first with `liqoctl unpeer`, or set "+
			"`destroy_peering_network = true` and apply that before the destroy.", peering),
	}
}
