package liqo

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Ports are the lists of ports of a gateway with several tunnels, one port for each. The list excludes the single port
// that every version of Liqo has. The types of Liqo 1.2 have no lists, so neither has the cache.
type Ports struct {
	Listed   []int32 // of the Service, or those that a client dials
	Nodes    []int32 // of the nodes; empty if Kubernetes chooses
	Reported []int32 // at which a server says it can be reached
}

// Consecutive returns the ports of several tunnels, which follow each other. One tunnel needs no list.
func Consecutive(first int32, tunnels int) []int32 {
	if tunnels <= 1 || first == 0 {
		return nil
	}
	ports := make([]int32, tunnels)
	for i := range ports {
		ports[i] = first + int32(i)
	}
	return ports
}

// Endpoint returns the fields of a gateway's endpoint in which the lists are, and the single ports that they exclude.
func (p Ports) Endpoint() map[string]any {
	fields := map[string]any{}
	for field, ports := range map[string][]int32{"ports": p.Listed, "nodePorts": p.Nodes} {
		if len(ports) > 0 {
			list := make([]any, len(ports))
			for i, port := range ports {
				list[i] = int64(port)
			}
			fields[field] = list
		}
	}
	return fields
}

// tunnels returns how many tunnels a gateway with these lists has. The result is 0 if the ports do not follow each
// other, which no settings say.
func (p Ports) tunnels() int {
	switch {
	case len(p.Listed) == 0:
		return 1
	case len(p.Listed) > 1 && !slices.Equal(p.Listed, Consecutive(p.Listed[0], len(p.Listed))):
		return 0
	default:
		return len(p.Listed)
	}
}

// firstOf returns the first port of a list, or else the single port.
func firstOf(ports []int32, single int32) int32 {
	if len(ports) > 0 {
		return ports[0]
	}
	return single
}

// ReadPorts reads the lists of the gateway live, if it has no single port.
func (o *Objects) ReadPorts(ctx context.Context, leaf *cluster.Leaf) error {
	whole := &unstructured.Unstructured{}
	switch {
	case o.GatewayServer != nil && o.GatewayServer.Spec.Endpoint.Port == 0:
		whole.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayServerKind))
	case o.GatewayServer == nil && o.GatewayClient != nil && o.GatewayClient.Spec.Endpoint.Port == 0:
		whole.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayClientKind))
	default:
		return nil
	}
	if err := leaf.Live.Get(ctx, client.ObjectKeyFromObject(o.Gateway()), whole); err != nil {
		return leaf.Explain(client.IgnoreNotFound(err))
	}
	o.Ports = Ports{
		Listed:   portsAt(whole, "spec", "endpoint", "ports"),
		Nodes:    portsAt(whole, "spec", "endpoint", "nodePorts"),
		Reported: portsAt(whole, "status", "endpoint", "ports"),
	}
	return nil
}

// portsAt returns a list of ports. A field of a custom build that is something else is no list.
func portsAt(object *unstructured.Unstructured, field ...string) []int32 {
	list, _, err := unstructured.NestedSlice(object.Object, field...)
	if err != nil {
		return nil
	}
	var ports []int32
	for _, item := range list {
		if port, ok := item.(int64); ok && port > 0 && port <= 1<<16 {
			ports = append(ports, int32(port))
		}
	}
	return ports
}
