package shortcut

import (
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// Spec is how a shortcut shall be.
type Spec struct {
	MTU int // of the tunnel, in bytes, at both ends, whatever the gateways' own settings say

	Server end.GatewayServer
	Client end.GatewayClient

	ServerEnd, ClientEnd EndSpec

	// ForbidRemapping makes [Shortcut.Connect] fail, before any gateway exists, if a leaf would reach the other's pods
	// at other addresses than their own.
	ForbidRemapping bool
	// KeysByOthers leaves it to somebody else to tell each gateway the other's public key. Nothing is waited for then
	// that needs the keys.
	KeysByOthers bool
	// Adopt takes over a network of the pair that somebody else made.
	Adopt bool
	// WaitForConnection makes [Shortcut.Connect] return only once both ends report the tunnel as up.
	WaitForConnection bool
}

// EndSpec is how one end of a shortcut shall be, besides its gateway. The zero value leaves everything as the leaf has
// it.
type EndSpec struct {
	Namespace string // where the leaf keeps the objects; its tenant namespace for the other leaf where empty

	// FormerKeySecret is what earlier settings have given to the gateway. If these do not, it loses the labels that
	// Liqo has given it.
	FormerKeySecret end.KeySecret

	end.Announcement
}

// withMTU gives both gateways the MTU of the tunnel.
func (s Spec) withMTU() Spec {
	s.Server.MTU, s.Client.MTU = s.MTU, s.MTU
	return s
}

// waits reports whether both ends have reported the tunnel as up when [Shortcut.Connect] returns.
func (s Spec) waits() bool { return s.WaitForConnection && !s.KeysByOthers }

// removal takes apart what could not be made.
func (s Spec) removal() Removal {
	return Removal{
		ClientKeySecret: end.KeySecret{Namespace: s.ClientEnd.Namespace, Name: s.Client.KeySecret},
		ServerKeySecret: end.KeySecret{Namespace: s.ServerEnd.Namespace, Name: s.Server.KeySecret},
	}
}
