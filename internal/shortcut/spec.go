package shortcut

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

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
