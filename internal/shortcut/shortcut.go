package shortcut

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// Shortcut is a pair of leaves that are joined directly, or shall be: the two ends of their network. It holds no state:
// what there is of it is on the leaves.
type Shortcut struct {
	Client, Server *end.End
}

// New returns the shortcut through which client dials server. It belongs to nobody in particular: see
// [Shortcut.OwnedBy].
func New(client, server *cluster.Leaf) *Shortcut {
	return &Shortcut{
		Client: end.New(client, end.Remote{Name: server.Name, ID: server.ID}),
		Server: end.New(server, end.Remote{Name: client.Name, ID: client.ID}),
	}
}

// OwnedBy makes it the shortcut of one resource instance: what that one owns counts as its, and what it makes is marked
// with its token.
func (s *Shortcut) OwnedBy(owner end.Owner) *Shortcut {
	for _, on := range s.ends() {
		on.Owner = owner
	}
	return s
}

func (s *Shortcut) ends() []*end.End { return []*end.End{s.Client, s.Server} }

// other is the end that an end is joined with.
func (s *Shortcut) other(on *end.End) *end.End {
	if on == s.Client {
		return s.Server
	}
	return s.Client
}
