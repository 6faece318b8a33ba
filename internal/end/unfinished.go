package end

import (
	"context"
	"encoding/json"
	"maps"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Whoever creates something holds a Lease meanwhile, and writes its token on it. A create that is killed leaves the
// Lease. So the Lease shows that no Terraform state has what the create has made. Without it, an object with a token
// belongs to a state, whatever else is missing on the leaves.

// unfinishedAnnotation is on a Lease. It is the JSON of [Unfinished].
const unfinishedAnnotation = ManagedBy + "/unfinished"

// Unfinished are creates that have begun and of whose end nothing is known, keyed by the token of the owner.
type Unfinished map[string]Create

// Create is a create that has begun.
type Create struct {
	Origin Origin `json:"origin"`
	// Interrupted means that Terraform was interrupted and has ended the create. Then the state may have what was made:
	// only a second interruption keeps Terraform from writing the state.
	Interrupted bool `json:"interrupted,omitempty"`
}

// UnfinishedOn returns the creates that a Lease lists. A list that can't be read is empty.
func UnfinishedOn(lease client.Object) Unfinished {
	var all Unfinished
	if err := json.Unmarshal([]byte(lease.GetAnnotations()[unfinishedAnnotation]), &all); err != nil || all == nil {
		return Unfinished{}
	}
	return all
}

// Mark writes the list on a Lease.
func (u Unfinished) Mark(lease client.Object) {
	text, err := json.Marshal(u)
	if len(u) == 0 || err != nil { // strings and times can't fail
		removeAnnotation(lease, unfinishedAnnotation)
		return
	}
	setAnnotation(lease, unfinishedAnnotation, string(text))
}

// AbandonedTo reports whether the objects with a token have no owner, as far as the owner that asks is concerned: the
// create was killed, or it was interrupted in a folder that may be the one of the owner that asks.
func (u Unfinished) AbandonedTo(asks Owner, token string) bool {
	create, unfinished := u[token]
	return unfinished && (!create.Interrupted || asks.Origin.MayShareState(create.Origin))
}

// UnfinishedAt returns what all Leases of this provider on a leaf list. It sends one request. Without the permission to
// list Leases, the result is empty.
func UnfinishedAt(ctx context.Context, leaf *cluster.Leaf) (Unfinished, error) {
	var leases coordinationv1.LeaseList
	ours := client.MatchingLabels{ManagedByLabel: ManagedBy}
	err := leaf.List(ctx, &leases, client.InNamespace(leaf.LiqoNamespace), ours)
	if cluster.MissingPermission(err) {
		return Unfinished{}, nil
	}
	all := Unfinished{}
	for i := range leases.Items {
		maps.Copy(all, UnfinishedOn(&leases.Items[i]))
	}
	return all, err
}
