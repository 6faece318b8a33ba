package shortcut

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
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

// Spec is the wanted state of a shortcut.
type Spec struct {
	// Create means that no Terraform state has the owner's token yet. If [Shortcut.Connect] is killed then, others may
	// take over what it has made.
	Create bool

	// TunnelSettings are of both gateways, and override the gateways' own.
	liqo.TunnelSettings

	Server, Client liqo.GatewaySettings

	ServerEnd, ClientEnd EndSpec

	// Allow is what may cross, or nil for everything.
	Allow *Allow

	// ForbidRemapping makes [Shortcut.Connect] fail, before any gateway exists, if a leaf would reach the other's pods at
	// other addresses than their own.
	ForbidRemapping bool
	// WaitForConnection makes [Shortcut.Connect] return only when both ends report the tunnel as up.
	WaitForConnection bool
}

// EndSpec is the wanted state of one end of a shortcut, without its gateway. The zero value keeps the leaf's defaults.
type EndSpec struct {
	Namespace string // of the objects; empty for the leaf's tenant namespace for the other leaf

	// FormerKeySecret is the user's Secret of the gateway in earlier settings. It loses Liqo's labels if the gateway no
	// longer uses it.
	FormerKeySecret liqo.KeySecret

	end.Announcement
}

// shareSettings copies to the gateways what both have in common, and gives them their roles.
func (s Spec) shareSettings() Spec {
	s.Limited = s.Allow != nil
	s.Server.TunnelSettings, s.Client.TunnelSettings = s.TunnelSettings, s.TunnelSettings
	s.Server.Role, s.Client.Role = liqo.ServerRole, liqo.ClientRole
	return s
}

// removal returns the removal of a shortcut that could not be created.
func (s Spec) removal() Removal {
	return Removal{
		ClientKeySecret: liqo.KeySecret{Namespace: s.ClientEnd.Namespace, Name: s.Client.KeySecret},
		ServerKeySecret: liqo.KeySecret{Namespace: s.ServerEnd.Namespace, Name: s.Server.KeySecret},
	}
}
