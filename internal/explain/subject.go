package explain

import (
	"context"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Subject is what there is to explain: one leaf's part of its network with one other cluster.
type Subject struct {
	Leaf       *cluster.Leaf
	RemoteName string                // the user's name for the other cluster
	RemoteID   liqov1beta1.ClusterID // Liqo's

	// Find reads what the leaf holds of the network. It is called only when there is something to explain, which may be after the time for the work has run out.
	Find func(context.Context) (Objects, error)
}

// Objects are what a leaf holds of its network with one other cluster. What does not exist is nil.
type Objects struct {
	Configuration *networkingv1beta1.Configuration
	Server        *networkingv1beta1.GatewayServer
	Client        *networkingv1beta1.GatewayClient
	PublicKey     *networkingv1beta1.PublicKey
	Connection    *networkingv1beta1.Connection

	Endpoint *networkingv1beta1.EndpointStatus       // where Server can be dialled; nil until it can
	Tunnel   networkingv1beta1.ConnectionStatusValue // what Connection says of the tunnel through this gateway; empty while it says nothing
	// SilentSince is when the gateway last reported the tunnel as up, if it should have reported again by now; zero
	// otherwise.
	SilentSince time.Time

	Leaving []client.Object // what is to be gone, and is still there
}

// ignored are the objects that Liqo's controllers should have reacted to by now, and have not.
func (o Objects) ignored() []client.Object {
	var ignored []client.Object
	if o.Configuration != nil && !networkingutils.AreConfigurationNetworkCIDRsConfigured(o.Configuration) {
		ignored = append(ignored, o.Configuration)
	}
	if o.Server != nil && o.Server.Status.ServerRef == nil {
		ignored = append(ignored, o.Server)
	}
	if o.Client != nil && o.Client.Status.ClientRef == nil {
		ignored = append(ignored, o.Client)
	}
	return ignored
}

// gateway is the leaf's end of the tunnel once Liqo has reacted to it; nil before, and where there is none.
func (o Objects) gateway() client.Object {
	switch {
	case o.Server != nil && o.Server.Status.ServerRef != nil:
		return o.Server
	case o.Server == nil && o.Client != nil && o.Client.Status.ClientRef != nil:
		return o.Client
	default:
		return nil
	}
}
