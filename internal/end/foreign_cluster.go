package end

import (
	"context"
	"fmt"
	"slices"
	"sync"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// A ForeignCluster is Liqo's record of another cluster. Liqo creates it when it first sees an object of that cluster,
// and never deletes it.

// Peering is a peering of a leaf with another cluster. It needs the network between the two.
type Peering struct {
	remote   string // the user's name of the other cluster
	evidence string // the objects that show the peering
}

// String names the peering in a sentence.
func (p *Peering) String() string {
	return fmt.Sprintf("the peering with %q (%s)", p.remote, p.evidence)
}

// Peering returns this leaf's peering with the other cluster, or nil. The ForeignCluster of that cluster shows it: a
// peering authenticates, and a shortcut never does. It reads the cache.
func (e *End) Peering(ctx context.Context) (*Peering, error) {
	return e.readPeering(ctx, e.Leaf.ListCached)
}

// readPeering does so by the cache or live.
func (e *End) readPeering(ctx context.Context, list liqo.Lister) (*Peering, error) {
	foreign, err := liqo.ForeignCluster(ctx, list, e.Remote.ID)
	if !peered(foreign) {
		return nil, err
	}
	return &Peering{e.Remote.Name, fmt.Sprintf("ForeignCluster %s, role %s", foreign.Name, foreign.Status.Role)}, nil
}

// peered reports whether Liqo's record of another cluster, which may be nil, shows a peering.
func peered(foreign *liqov1beta1.ForeignCluster) bool {
	return foreign != nil &&
		(foreign.Status.Modules.Authentication.Enabled || foreign.Status.Modules.Offloading.Enabled)
}

// LivingPeering is [End.Peering] for a removal, which must be certain. It reads live. Liqo clears its record while a
// gateway has no Deployment. So LivingPeering also looks for the objects of a peering, at the same time.
func (e *End) LivingPeering(ctx context.Context) (*Peering, error) {
	var (
		parts    []client.Object
		partsErr error
		group    sync.WaitGroup
	)
	group.Go(func() { parts, partsErr = e.peeringParts(ctx) })
	peering, err := e.readPeering(ctx, e.Leaf.List)
	group.Wait()
	if err != nil || peering != nil {
		return peering, err
	}
	if partsErr != nil || len(parts) == 0 {
		return nil, partsErr
	}
	return &Peering{e.Remote.Name, explain.Names(e.Leaf, parts...)}, nil
}

// peeringParts returns the objects of a peering with the other cluster: the Tenant for it on this leaf, the Identities
// of this leaf there, and the ResourceSlices between the two. A leaf that does not know these kinds has no peering.
func (e *End) peeringParts(ctx context.Context) ([]client.Object, error) {
	var (
		tenants    authv1beta1.TenantList
		identities authv1beta1.IdentityList
		slices     authv1beta1.ResourceSliceList
		group      errgroup.Group
	)
	for _, list := range []client.ObjectList{&tenants, &identities, &slices} {
		group.Go(func() error { return e.Leaf.ListKnown(ctx, list) })
	}
	if err := group.Wait(); err != nil {
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

// appendOf appends an object that refers to these clusters, if the other cluster is one of them. An object that was
// created by hand may lack Liqo's label or the ID.
func (e *End) appendOf(parts []client.Object, object client.Object, ids ...liqov1beta1.ClusterID) []client.Object {
	if cluster.RemoteID(object) == string(e.Remote.ID) || slices.Contains(ids, e.Remote.ID) {
		return append(parts, object)
	}
	return parts
}

// Peerings returns the leaf's records of the clusters that it is peered with, by cluster ID. It sends one request,
// whatever the number of peerings.
func Peerings(ctx context.Context, leaf *cluster.Leaf) (map[string]*liqov1beta1.ForeignCluster, error) {
	var foreign liqov1beta1.ForeignClusterList
	if err := leaf.List(ctx, &foreign); err != nil {
		return nil, err
	}
	peerings := map[string]*liqov1beta1.ForeignCluster{}
	for i := range foreign.Items {
		if peered(&foreign.Items[i]) {
			peerings[string(foreign.Items[i].Spec.ClusterID)] = &foreign.Items[i]
		}
	}
	return peerings, nil
}

// UnpeerTakesNetwork is a warning for whoever is advised to end a peering.
const UnpeerTakesNetwork = "If it is the only peering of the two clusters, `liqoctl` also removes the network."

// CheckNoPeering fails if a removal would take the network from this peering, which may be nil. Without objects of the
// owner, a removal takes nothing.
func (e *End) CheckNoPeering(ctx context.Context, peering *Peering) error {
	objects, err := e.Find(ctx)
	if err != nil || peering == nil || len(owned(objects, e.Owner)) == 0 {
		return err
	}
	return &trouble.Problem{
		ID: "peering-uses-network", Leaf: e.Leaf.Name,
		Summary: "a peering uses the network",
		Advice: fmt.Sprintf("This leaf needs the network for %s. Nothing was removed. End the peering first with "+
			"`liqoctl unpeer`, or set `destroy_peering_network = true` and apply that before the destroy. %s",
			peering, UnpeerTakesNetwork),
	}
}

// HasUnusedForeignCluster reports whether there is a record of the other cluster that no peering uses. It reads live.
func (e *End) HasUnusedForeignCluster(ctx context.Context) (bool, error) {
	foreign, err := liqo.ForeignCluster(ctx, e.Leaf.List, e.Remote.ID)
	return foreign != nil && !peered(foreign), err
}

// RemoveForeignCluster deletes Liqo's record of the other cluster if nothing uses it. It reports whether the record is
// gone. The record stays if someone else created the tenant namespace, because it exists for that namespace. It also
// stays with a network of someone else, and with a peering.
func (e *End) RemoveForeignCluster(ctx context.Context, namespace *corev1.Namespace, peering *Peering) (bool, error) {
	if peering != nil || (namespace != nil && !e.Owner.MayRemove(namespace)) {
		return false, nil
	}
	objects, err := e.Find(ctx)
	if err != nil || len(objects.Made()) > 0 {
		return false, err
	}
	gone := false
	err = e.Leaf.Until(ctx, string(e.Remote.ID), func(ctx context.Context) (bool, error) {
		foreign, err := liqo.ForeignCluster(ctx, e.Leaf.ListCached, e.Remote.ID)
		if err != nil {
			return false, err
		}
		if foreign == nil {
			gone = true
			return true, nil
		}
		if peered(foreign) {
			return true, nil // gone stays false
		}
		if foreign.Status.Modules.Networking.Enabled || Leaving(foreign) {
			return false, nil // Liqo has not noticed yet that the network is gone
		}
		return false, e.deleteUnchanged(ctx, foreign)
	}, &liqov1beta1.ForeignCluster{})
	return gone, explain.Wait(ctx, e.Subject(), "Liqo to notice that the network is gone", err)
}

// deleteUnchanged deletes an object unless it has changed since the read. A change is an error of the leaf, after which
// [cluster.Leaf.Until] looks at the object again.
func (e *End) deleteUnchanged(ctx context.Context, object client.Object) error {
	uid, version := object.GetUID(), object.GetResourceVersion()
	return e.Leaf.Delete(ctx, object, client.Preconditions{UID: &uid, ResourceVersion: &version})
}
