package shortcut

import (
	"context"
	"errors"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// removeConfigurations deletes the owner's Configuration on this leaf and returns once it is gone, and with it the ranges that Liqo's IPAM holds for it. Until they
// are free, a new Configuration of the other cluster would be remapped to others.
func (s *side) removeConfigurations(ctx context.Context) error {
	found, err := s.find(ctx)
	own := found.ownConfigurations(s.owner)
	if err != nil || len(own) == 0 {
		return err
	}
	taken, err := s.leaf.TakenNetworks(ctx)
	if err != nil {
		return err
	}
	for _, configuration := range own {
		if err := s.delete(ctx, configuration); err != nil {
			return err
		}
	}
	for i := range taken {
		if !slices.ContainsFunc(own, func(configuration client.Object) bool { return ownedBy(&taken[i], configuration) }) {
			continue
		}
		if err := s.untilGone(ctx, ipamv1alpha1.SchemeGroupVersion.WithKind(ipamv1alpha1.NetworkKind), client.ObjectKeyFromObject(&taken[i])); err != nil {
			return err
		}
	}
	return s.until(ctx, "the Configuration to be gone", func(left objects) bool {
		return len(left.ownConfigurations(s.owner)) == 0
	}, &networkingv1beta1.Configuration{})
}

// disownConfigurations keeps the owner's Configuration on this leaf for a later shortcut, and with it the tenant namespace.
func (s *side) disownConfigurations(ctx context.Context) error {
	all, err := s.markable(ctx)
	if err != nil {
		return err
	}
	for _, object := range all {
		if s.owner.owns(object) {
			if err := s.disown(ctx, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeForeignCluster deletes Liqo's record of the other cluster, if nothing uses it, and reports whether it is gone. Liqo makes that record when it first sees an
// object of the other cluster, and never deletes it. Whoever made the tenant namespace gave the reason for it, so it stays with a tenant namespace of somebody
// else's, with a network of somebody else's, and with a peering.
func (s *side) removeForeignCluster(ctx context.Context, namespace *corev1.Namespace, peering string) (bool, error) {
	if peering != "" || (namespace != nil && !s.owner.mayRemove(namespace)) {
		return false, nil
	}
	found, err := s.find(ctx)
	if err != nil || len(found.made()) > 0 {
		return false, err
	}
	gone := false
	err = s.leaf.Until(ctx, string(s.remote.ID), func(ctx context.Context) (bool, error) {
		foreign, err := fcutils.GetForeignClusterByID(ctx, s.leaf.Cached, s.remote.ID)
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
		if foreign.Status.Modules.Networking.Enabled || leaving(foreign) {
			return false, nil // Liqo has not noticed yet that the network is gone
		}
		return false, s.deleteUnchanged(ctx, foreign)
	}, &liqov1beta1.ForeignCluster{})
	return gone, explain.Wait(ctx, s.subject(), "Liqo to notice that the network is gone", err)
}

// tenantNamespace is the leaf's tenant namespace for the other cluster, nil where there is none.
func (s *side) tenantNamespace(ctx context.Context) (*corev1.Namespace, error) {
	var namespaces corev1.NamespaceList
	err := s.leaf.Live.List(ctx, &namespaces, client.HasLabels{consts.TenantNamespaceLabel},
		client.MatchingLabels{consts.RemoteClusterID: string(s.remote.ID)})
	if err != nil {
		return nil, s.leaf.Explain(err)
	}
	switch len(namespaces.Items) {
	case 0:
		return nil, nil //nolint:nilnil // documented
	case 1:
		return &namespaces.Items[0], nil
	default:
		return nil, errors.New("leaf " + s.leaf.Name + ": more than one tenant namespace for cluster " + string(s.remote.ID))
	}
}

// deleteUnchanged deletes an object only as it was read. One that has changed since is left for the caller to look at again, once the cache has
// seen the change.
func (s *side) deleteUnchanged(ctx context.Context, object client.Object) error {
	uid, version := object.GetUID(), object.GetResourceVersion()
	err := s.leaf.Live.Delete(ctx, object, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if apierrors.IsConflict(err) {
		return nil
	}
	return s.leaf.Explain(client.IgnoreNotFound(err))
}
