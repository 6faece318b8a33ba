package kube

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// MostClusters is the maximum number of clusters in a lab. More have no addresses of their own.
const MostClusters = 54

// MostNodes is the maximum number of nodes in a cluster, for the same reason.
const MostNodes = 4

// Nodes returns the cluster's nodes. They have addresses that no other node of the lab has.
func (c *Cluster) Nodes() []dataplane.Node {
	nodes := make([]dataplane.Node, c.NodeCount)
	for i := range nodes {
		const firstHost = 2 // the NAT's own address is before it
		nodes[i] = dataplane.Node{
			Name:   numbered(c.Name+"-node", i),
			IP:     netip.AddrFrom4([4]byte{172, 18, byte(i), byte(firstHost + c.Number)}),
			NATIP:  netip.AddrFrom4([4]byte{172, 18, 254, byte(firstHost + c.Number + MostClusters*i)}),
			Fabric: numbered(binaries.LiqoFabric.Name, i),
		}
	}
	return nodes
}

// firstNode is the node that every cluster has.
func (c *Cluster) firstNode() client.ObjectKey {
	return client.ObjectKey{Name: numbered(c.Name+"-node", 0)}
}

// numbered returns the name of one of several things. The first has no number, as if it were the only one.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i+1)
}

// createNodes creates the cluster's nodes.
func (c *Cluster) createNodes(ctx context.Context) error {
	// All nodes have addresses of one pool. So the pod network is a node's own only if there is no other node.
	var own []string
	if c.NodeCount == 1 {
		own = []string{c.PodCIDR.String()}
	}
	for _, node := range c.Nodes() {
		if err := c.createNode(ctx, kubelet.NewNode(node.Name, node.IP, own, c.Kubernetes)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) createNode(ctx context.Context, node *corev1.Node) error {
	status := node.Status
	if err := c.client.Create(ctx, node); err != nil {
		return err
	}
	node.Status = status
	// The API server taints a new node until it is ready. The node controller, which removes the taint, does not run yet.
	if err := c.client.Status().Update(ctx, node); err != nil {
		return err
	}
	node.Spec.Taints = nil
	if err := c.client.Update(ctx, node); err != nil {
		return fmt.Errorf("removing the taint of a new node: %w", err)
	}
	return nil
}

// checkNodes returns an error if the cluster lacks one of the nodes.
func (c *Cluster) checkNodes(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(c.Nodes(), func(node dataplane.Node) bool { return node.Name == name }) {
			return fmt.Errorf("cluster %s has no node %q", c.Name, name)
		}
	}
	return nil
}

// setUnschedulable cordons or uncordons the nodes, as `kubectl cordon` does. Running pods stay.
func (c *Cluster) setUnschedulable(ctx context.Context, unschedulable bool) error {
	for _, n := range c.Nodes() {
		var node corev1.Node
		if err := c.client.Get(ctx, client.ObjectKey{Name: n.Name}, &node); err != nil {
			return err
		}
		before := node.DeepCopy()
		node.Spec.Unschedulable = unschedulable
		if err := c.client.Patch(ctx, &node, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}
