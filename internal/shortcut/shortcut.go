package shortcut

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// LogSubsystem is the subsystem of tflog that the procedures of this package log to. Callers set it up in the context.
const LogSubsystem = "shortcut"

// Shortcut is a pair of leaves that are joined directly, or are to be: the two ends of their network. It holds no
// state; the objects are on the leaves.
type Shortcut struct {
	Client, Server *end.End
}

// New returns the shortcut in which client dials server. It has no owner; see [Shortcut.OwnedBy].
func New(client, server *cluster.Leaf) *Shortcut {
	return &Shortcut{
		Client: end.New(client, end.Remote{Name: server.Name, ID: server.ID}),
		Server: end.New(server, end.Remote{Name: client.Name, ID: client.ID}),
	}
}

// OwnedBy makes it the shortcut of one resource instance. The shortcut treats this owner's objects as its own, and
// marks new ones with the owner's token.
func (s *Shortcut) OwnedBy(self owner.Owner) *Shortcut {
	for _, e := range s.Ends() {
		e.Owner = self
	}
	return s
}

// Ends returns both ends, the client's first.
func (s *Shortcut) Ends() []*end.End { return []*end.End{s.Client, s.Server} }

// other is the end that an end is joined with.
func (s *Shortcut) other(e *end.End) *end.End {
	if e == s.Client {
		return s.Server
	}
	return s.Client
}
