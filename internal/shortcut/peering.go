package shortcut

import (
	"context"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// peered tells whether Liqo's record of another cluster shows a peering.
func peered(foreign *liqov1beta1.ForeignCluster) bool {
	return foreign.Status.Modules.Authentication.Enabled || foreign.Status.Modules.Offloading.Enabled
}

// checkNoPeering makes sure that no peering would lose its network. It loses nothing where nothing of the network is the owner's.
func (s *side) checkNoPeering(ctx context.Context) (none, error) {
	found, err := s.find(ctx)
	if err != nil || len(found.owned(s.owner)) == 0 {
		return none{}, err
	}
	peering, err := s.peering(ctx)
	if err != nil || peering == "" {
		return none{}, err
	}
	return none{}, &Problem{
		Leaf:    s.leaf.Name,
		Summary: "a peering uses the network",
		Detail: fmt.Sprintf("This leaf needs the network for %s. Nothing was removed. End the peering first with `liqoctl unpeer`, or set "+
			"`destroy_peering_network = true` and apply that before the destroy.", peering),
	}
}
