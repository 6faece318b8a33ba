package end

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Subject returns the end as a subject of package explain.
func (e *End) Subject() explain.Subject {
	return explain.Subject{
		Leaf: e.Leaf, RemoteName: e.Remote.Name, RemoteID: e.Remote.ID, Alone: e.Owner.Resource != "", Find: e.Observe,
	}
}
