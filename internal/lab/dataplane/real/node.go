package real

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// node is a node of a leaf, in which the leaf's fabric runs.
type node struct {
	*leaf
	dataplane.Node
	*sandbox.Sandbox
	number int // in the leaf, from 1 on
	port   *underlay.Port
	relay  *relay
	fabric *process.Process
	lost   bool

	links map[client.ObjectKey]link // by InternalFabric
	rules []translation             // for Services
	jobs  jobs
}

// addNode creates a node of the leaf. If it fails, l.nodes has everything that it has created.
func (l *leaf) addNode(spec dataplane.Node) error {
	held, err := sandbox.Start(l.plane.helper, sandbox.Spec{
		Name: spec.Name, Sysctls: forwarding(), Folders: []string{"/etc/iproute2"}, Mounts: l.mounts(binaries.LiqoFabric),
	})
	if err != nil {
		return err
	}
	n := &node{
		leaf: l, Node: spec, Sandbox: held, number: len(l.nodes) + 1, links: map[client.ObjectKey]link{}, jobs: newJobs(),
	}
	l.nodes = append(l.nodes, n)
	if n.port, err = plug(held, l.plane.Underlay, spec.IP, l.Name); err != nil {
		return err
	}
	for _, other := range l.nodes[:len(l.nodes)-1] {
		if err := joinNodes(n, other); err != nil {
			return fmt.Errorf("from %s to %s: %w", n.Name, other.Name, err)
		}
	}
	if err := writeRules(held, nil); err != nil {
		return err
	}
	if n.relay, err = startRelay(held, l.apiServer); err != nil {
		return err
	}
	n.fabric, err = l.startIn(held, binaries.LiqoFabric, spec.Fabric, spec.FabricArgs)
	return err
}

// close ends the node. Its pods must have ended before.
func (n *node) close() {
	for fabric := range n.links {
		n.unlink(fabric)
	}
	if n.fabric != nil {
		n.fabric.Stop(context.Background())
	}
	if n.relay != nil {
		n.relay.close()
	}
	if n.port != nil {
		_ = n.port.Close()
	}
	n.Stop()
}
