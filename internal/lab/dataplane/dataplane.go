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
	Name     string
	Nodes    []Node
	Settings *kubelet.Settings
	// Liqo is the release of Liqo. Programs has the files of its programs by their names.
	Liqo     binaries.LiqoRelease
	Programs map[string]string
	// Kubeconfig is a file with an administrator's credentials. Logs is the folder for logs of
	// programs.
	Kubeconfig, Logs string
}

// Node is what a data plane needs to know about a node of a cluster.
type Node struct {
	Name string
	// IP is its address, on which the ports of NodePort Services are reachable. NATIP is its address
	// behind a NAT, if the data plane has one.
	IP, NATIP netip.Addr
	// Fabric is the name of the node's liqo-fabric, and FabricArgs are its arguments.
	Fabric     string
	FabricArgs []string
}

// DataPlane makes gateway pods do what Liqo's containers in them would do: hold one end of a tunnel
// each, and report its state in a Connection.
type DataPlane interface {
	// Register adds the data plane's controllers to the manager of a cluster. They end with ctx. A
	// cluster whose manager was stopped can be registered again. Its tunnels stay up in between, as
	// they do without an API server. Register returns what runs the pods of each node, by the
	// node's name, or nil if pods are only reported as running.
	Register(ctx context.Context, mgr manager.Manager, cluster Cluster) (map[string]kubelet.Runtime, error)
}
