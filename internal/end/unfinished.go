package end

import (
	"context"
	"maps"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// UnfinishedAt returns what all Leases of this provider on a leaf list. It sends one request. Without the permission to
// list Leases, the result is empty.
func UnfinishedAt(ctx context.Context, leaf *cluster.Leaf) (owner.Unfinished, error) {
	var leases coordinationv1.LeaseList
	ours := client.MatchingLabels{owner.ManagedByLabel: owner.ManagedBy}
	err := leaf.List(ctx, &leases, client.InNamespace(leaf.LiqoNamespace), ours)
	if cluster.MissingPermission(err) {
		return owner.Unfinished{}, nil
	}
	all := owner.Unfinished{}
	for i := range leases.Items {
		maps.Copy(all, owner.UnfinishedOn(&leases.Items[i]))
	}
	return all, err
}
