// Package dataplane joins the gateways of a lab's clusters. Its own data plane is simulated. The package real has the
// one that carries packets.
package dataplane

import (
	"context"
	"net/netip"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// Cluster is what a data plane needs to know about a cluster in addition to its objects.
type Cluster struct {
	Name string
	// NodeName is the name of the only node. NodeIP is its address, on which the ports of NodePort
	// Services are reachable.
	NodeName string
	NodeIP   netip.Addr
	// NATIP is the address of a NAT in front of the node, if the data plane has one.
	NATIP    netip.Addr
	Settings *kubelet.Settings
	// Liqo is the release of Liqo. Programs has the files of its programs by their names.
	Liqo     binaries.LiqoRelease
	Programs map[string]string
	// FabricArgs are the arguments of the node's liqo-fabric.
	FabricArgs []string
	// Kubeconfig is a file with an administrator's credentials. Logs is the folder for logs of
	// programs.
	Kubeconfig, Logs string
}

// DataPlane makes gateway pods do what Liqo's containers in them would do: hold one end of a tunnel
// each, and report its state in a Connection.
type DataPlane interface {
	// Register adds the data plane's controllers to the manager of a cluster. They end with ctx. A
	// cluster whose manager was stopped can be registered again. Its tunnels stay up in between, as
	// they do without an API server. Register returns what runs the cluster's pods, or nil if pods
	// are only reported as running.
	Register(ctx context.Context, mgr manager.Manager, cluster Cluster) (kubelet.Runtime, error)
}
