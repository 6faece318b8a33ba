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

// Subject is one leaf's end of its network with one other cluster, which is to be explained.
type Subject struct {
	Leaf       *cluster.Leaf
	RemoteName string                // the user's name for the other cluster
	RemoteID   liqov1beta1.ClusterID // Liqo's

	// Find reads the leaf's objects of the network. It is called only if there is something to explain.
	// At that moment the time for the work may have run out.
	Find func(context.Context) (Objects, error)
}

// Objects are a leaf's objects of its network with one other cluster. A missing object is nil.
type Objects struct {
	Configuration *networkingv1beta1.Configuration
	Server        *networkingv1beta1.GatewayServer
	Client        *networkingv1beta1.GatewayClient
	PublicKey     *networkingv1beta1.PublicKey
	Connection    *networkingv1beta1.Connection

	Endpoint *networkingv1beta1.EndpointStatus       // of Server; nil until it can be dialled
	Tunnel   networkingv1beta1.ConnectionStatusValue // as Connection reports it for this gateway; may be empty
	Leaving  []client.Object                         // objects that are to be deleted and still exist

	// SilentSince is when the gateway last reported the tunnel as up, if its next report is overdue. Else
	// it is zero.
	SilentSince time.Time
}

// ignored returns the objects that Liqo's controllers have not reacted to.
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

// gateway returns the leaf's gateway. It returns nil if there is none, or if Liqo has not reacted to
// it.
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
