package shortcut

import liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"

// Status is the state of a shortcut as a whole.
type Status string

// The values of [Status], from best to worst.
const (
	// Connected means that all objects are in place and both ends report the tunnel as up.
	Connected Status = "Connected"
	// Connecting means that all objects are in place, and the tunnel is not up yet, or no more.
	Connecting Status = "Connecting"
	// Error means that at least one end reports that the tunnel failed.
	Error Status = "Error"
	// Disconnected means that something is missing or wrong on at least one leaf without which there can be no tunnel.
	Disconnected Status = "Disconnected"
)

// State is how a shortcut is.
type State struct {
	Exists bool // whether either leaf holds anything of the owner's
	Joined bool // whether either leaf holds a network of the pair, whoever owns it
	Status Status

	// Duplicates name further objects of the pair, which are not the owner's: Liqo can't cope with two of a kind.
	Duplicates []string

	Client, Server End

	ServerGateway  *ServerGateway // as the server's gateway is; nil while there is none
	ServerEndpoint *Endpoint      // where the server's gateway says it can be reached; nil until it does

	// ClientGateway is as the client's gateway is; nil while there is none. Its address and port are the first ones that it dials, be they its own or the
	// server's.
	ClientGateway *ClientGateway
}

// End is one leaf's part of a [State].
type End struct {
	ClusterID liqov1beta1.ClusterID
	Namespace string // where the leaf keeps the objects of this shortcut; empty while there is none

	LiqoNamespace string // where Liqo runs on the leaf
	MTU           int    // of its gateway, in bytes; 0 while there is none
	Network       Network
}

// Network is one leaf's address ranges, in CIDR notation.
type Network struct {
	PodCIDRs             []string // as the leaf has them
	ExternalCIDR         string   // as the leaf has it
	RemappedPodCIDRs     []string // where the other leaf reaches PodCIDRs, index by index; nil until Liqo has decided
	RemappedExternalCIDR string   // where the other leaf reaches ExternalCIDR; empty until Liqo has decided
}

// Endpoint is where a gateway can be reached.
type Endpoint struct {
	Addresses []string // IP addresses or DNS names
	Port      int32
	Protocol  string // UDP or TCP
}
