package end

import (
	"context"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Subject returns the end as a subject of package explain.
func (e *End) Subject() explain.Subject {
	find := func(ctx context.Context) (cluster.Objects, error) {
		found, err := e.Observe(ctx)
		return found.Objects, err
	}
	return explain.Subject{
		Leaf: e.Leaf, RemoteName: e.Remote.Name, RemoteID: e.Remote.ID, Alone: e.Owner.Resource != "", Find: find,
	}
}
