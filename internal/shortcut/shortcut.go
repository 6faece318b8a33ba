package shortcut

import (
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// ManagedByLabel and ManagedBy mark what this package makes. It changes and deletes nothing that does not carry them.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedBy      = "terraform-provider-liqo"
)

// Shortcut is a pair of leaves that are joined directly, or shall be. It holds no state: what there is of it is on the leaves.
type Shortcut struct {
	client, server *side
}

// side is one leaf's part of a shortcut.
type side struct {
	leaf   *cluster.Leaf
	remote Remote
}

// Remote is the cluster at the other end, as one side knows it.
type Remote struct {
	Name string                // the user's name for it
	ID   liqov1beta1.ClusterID // Liqo's
}

// New returns the shortcut through which client dials server.
func New(client, server *cluster.Leaf) *Shortcut {
	return &Shortcut{
		client: &side{leaf: client, remote: Remote{Name: server.Name, ID: server.ID}},
		server: &side{leaf: server, remote: Remote{Name: client.Name, ID: client.ID}},
	}
}

func (s *Shortcut) sides() []*side { return []*side{s.client, s.server} }
