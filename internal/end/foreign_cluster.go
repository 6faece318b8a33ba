package end

import (
	"context"
	"fmt"
	"slices"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// A ForeignCluster is Liqo's record of another cluster. Liqo makes it when it first sees an object of that cluster, and
// never deletes it.

// Peering names the peering with the other cluster that this leaf takes part in; empty where there is none. Liqo keeps
// it in its record of that cluster: a peering authenticates, and a shortcut never does.
func (e *End) Peering(ctx context.Context) (string, error) {
	foreign, err := fcutils.GetForeignClusterByID(ctx, e.Leaf.Cached, e.Remote.ID)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", e.Leaf.Explain(err)
	}
	if !peered(foreign) {
		return "", nil
	}
	return fmt.Sprintf("the peering with %q (ForeignCluster %s, role %s)",
		e.Remote.Name, foreign.Name, foreign.Status.Role), nil
}

// peered reports whether Liqo's record of another cluster shows a peering.
func peered(foreign *liqov1beta1.ForeignCluster) bool {
	return foreign.Status.Modules.Authentication.Enabled || foreign.Status.Modules.Offloading.Enabled
}

// LivingPeering is the same for a removal, which must be certain: Liqo clears its record while a gateway has no
// Deployment, so the leaf is also asked for what a peering is made of.
func (e *End) LivingPeering(ctx context.Context) (string, error) {
	recorded, err := e.Peering(ctx)
	if err != nil || recorded != "" {
		return recorded, err
	}
	parts, err := e.peeringParts(ctx)
	if err != nil || len(parts) == 0 {
		return "", err
	}
	return fmt.Sprintf("the peering with %q (%s)", e.Remote.Name, explain.Names(e.Leaf, parts...)), nil
}

// peeringParts are the objects of a peering with the other cluster: the Tenant that it is here, the Identities that
// this leaf has there, and the resources that one asks of the other. A leaf that does not know these kinds has no
// peering.
func (e *End) peeringParts(ctx context.Context) ([]client.Object, error) {
	var (
		tenants    authv1beta1.TenantList
		identities authv1beta1.IdentityList
		slices     authv1beta1.ResourceSliceList
		asking     errgroup.Group
	)
	for _, list := range []client.ObjectList{&tenants, &identities, &slices} {
		asking.Go(func() error {
			err := e.Leaf.Live.List(ctx, list)
			if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
				return nil
			}
			return e.Leaf.Explain(err)
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	var parts []client.Object
	for i := range tenants.Items {
		parts = e.appendOf(parts, &tenants.Items[i], tenants.Items[i].Spec.ClusterID)
	}
	for i := range identities.Items {
		parts = e.appendOf(parts, &identities.Items[i], identities.Items[i].Spec.ClusterID)
	}
	for i := range slices.Items {
		consumer, provider := slices.Items[i].Spec.ConsumerClusterID, slices.Items[i].Spec.ProviderClusterID
		parts = e.appendOf(parts, &slices.Items[i], ptr.Deref(consumer, ""), ptr.Deref(provider, ""))
	}
	return parts, nil
}

// appendOf appends an object that speaks of these clusters, if the other cluster is one of them. People who write one
// by hand may leave out Liqo's label or the ID.
func (e *End) appendOf(parts []client.Object, object client.Object, ids ...liqov1beta1.ClusterID) []client.Object {
	if cluster.RemoteID(object) == string(e.Remote.ID) || slices.Contains(ids, e.Remote.ID) {
		return append(parts, object)
	}
	return parts
}

// Peerings is the leaf's record of each cluster that it is peered with, by the other's ID. The API server is asked
// once, however many there are.
func Peerings(ctx context.Context, leaf *cluster.Leaf) (map[string]*liqov1beta1.ForeignCluster, error) {
	var foreign liqov1beta1.ForeignClusterList
	if err := leaf.Live.List(ctx, &foreign); err != nil {
		return nil, leaf.Explain(err)
	}
	peerings := map[string]*liqov1beta1.ForeignCluster{}
	for i := range foreign.Items {
		if peered(&foreign.Items[i]) {
			peerings[string(foreign.Items[i].Spec.ClusterID)] = &foreign.Items[i]
		}
	}
	return peerings, nil
}

// CheckNoPeering makes sure that this peering, if there is one, does not lose its network. It loses nothing where
// nothing of the network is the owner's.
func (e *End) CheckNoPeering(ctx context.Context, peering string) error {
	found, err := e.Find(ctx)
	if err != nil || peering == "" || len(found.owned(e.Owner)) == 0 {
		return err
	}
	return &explain.Problem{
		Leaf:    e.Leaf.Name,
		Summary: "a peering uses the network",
		Detail: fmt.Sprintf("This leaf needs the network for %s. Nothing was removed. End the peering first with "+
			"`liqoctl unpeer`, or set `destroy_peering_network = true` and apply that before the destroy.", peering),
	}
}

// ForeignClusterLeft reports whether there is a record of the other cluster that no peering uses. It asks the leaf.
func (e *End) ForeignClusterLeft(ctx context.Context) (bool, error) {
	foreign, err := fcutils.GetForeignClusterByID(ctx, e.Leaf.Live, e.Remote.ID)
	if err != nil {
		return false, e.Leaf.Explain(client.IgnoreNotFound(err))
	}
	return !peered(foreign), nil
}

// RemoveForeignCluster deletes Liqo's record of the other cluster, if nothing uses it, and reports whether it is gone.
// Whoever made the tenant namespace gave the reason for it, so it stays with a tenant namespace of somebody else's,
// with a network of somebody else's, and with a peering.
func (e *End) RemoveForeignCluster(ctx context.Context, namespace *corev1.Namespace, peering string) (bool, error) {
	if peering != "" || (namespace != nil && !e.Owner.MayRemove(namespace)) {
		return false, nil
	}
	found, err := e.Find(ctx)
	if err != nil || len(found.Made()) > 0 {
		return false, err
	}
	gone := false
	err = e.Leaf.Until(ctx, string(e.Remote.ID), func(ctx context.Context) (bool, error) {
		foreign, err := fcutils.GetForeignClusterByID(ctx, e.Leaf.Cached, e.Remote.ID)
		if apierrors.IsNotFound(err) {
			gone = true
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if peered(foreign) {
			return true, nil // and not gone
		}
		if foreign.Status.Modules.Networking.Enabled || Leaving(foreign) {
			return false, nil // Liqo has not noticed yet that the network is gone
		}
		return false, e.deleteUnchanged(ctx, foreign)
	}, &liqov1beta1.ForeignCluster{})
	return gone, explain.Wait(ctx, e.Subject(), "Liqo to notice that the network is gone", err)
}

// deleteUnchanged deletes an object only as it was read. One that has changed since is left for the caller to look at
// again, once the cache has seen the change.
func (e *End) deleteUnchanged(ctx context.Context, object client.Object) error {
	uid, version := object.GetUID(), object.GetResourceVersion()
	err := e.Leaf.Live.Delete(ctx, object, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if apierrors.IsConflict(err) {
		return nil
	}
	return e.Leaf.Explain(client.IgnoreNotFound(err))
}
