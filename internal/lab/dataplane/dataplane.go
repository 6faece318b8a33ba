// Package dataplane joins the gateways of a lab's clusters.
package dataplane

import (
	"context"
	"net/netip"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/knobs"
)

// Cluster is what a data plane needs to know of a cluster beyond its objects.
type Cluster struct {
	Name string
	// NodeIP is where the ports of NodePort Services are reachable.
	NodeIP netip.Addr
	Knobs  *knobs.Knobs
}

// DataPlane makes gateway pods do what Liqo's containers in them would do: hold one end of a tunnel each, and
// report its state in a Connection.
type DataPlane interface {
	// Register adds the data plane's controllers to the manager of a cluster. They end with ctx. A cluster whose
	// manager was stopped can be registered again; its tunnels live on in between, as they do without an API server.
	Register(ctx context.Context, mgr manager.Manager, cluster Cluster) error
}
