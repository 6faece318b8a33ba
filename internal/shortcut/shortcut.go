package shortcut

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Shortcut is a pair of leaves that are joined directly, or shall be. It holds no state: what there is of it is on the leaves.
type Shortcut struct {
	client, server *side
}

// New returns the shortcut through which client dials server. It belongs to nobody in particular: see [Shortcut.OwnedBy].
func New(client, server *cluster.Leaf) *Shortcut {
	return &Shortcut{
		client: &side{leaf: client, remote: Remote{Name: server.Name, ID: server.ID}},
		server: &side{leaf: server, remote: Remote{Name: client.Name, ID: client.ID}},
	}
}

// OwnedBy makes it the shortcut of one resource instance: what that one owns counts as its, and what it makes is marked with its token.
func (s *Shortcut) OwnedBy(owner Owner) *Shortcut {
	for _, on := range s.ends() {
		on.owner = owner
	}
	return s
}

// Client and Server are the two ends.
func (s *Shortcut) Client() *side { return s.client }

// Server is described with [Shortcut.Client].
func (s *Shortcut) Server() *side { return s.server }

func (s *Shortcut) ends() []*side { return []*side{s.client, s.server} }
