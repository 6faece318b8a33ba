package liqo

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Ports are the lists of ports in the endpoint of a gateway with several tunnels, one port for each. A list excludes
// the single port that every version of Liqo has. The types of Liqo 1.2 have no lists, so neither has the cache.
type Ports struct {
	Listed []int32 `json:"ports,omitempty"`     // of the Service, or those that a client dials
	Nodes  []int32 `json:"nodePorts,omitempty"` // of the nodes; empty if Kubernetes chooses
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

// AddTo adds the lists to the content of a gateway.
func (p Ports) AddTo(content map[string]any) {
	lists, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(&p) // numbers are data
	for field, list := range lists {
		_ = unstructured.SetNestedField(content, list, "spec", "endpoint", field) // an endpoint is an object
	}
}

// ReadPorts reads the lists of the gateway live, if it has no single port.
func (o *Objects) ReadPorts(ctx context.Context, leaf *cluster.Leaf) error {
	var single int32
	switch gateway := o.Gateway().(type) {
	case *networkingv1beta1.GatewayServer:
		single = gateway.Spec.Endpoint.Port
	case *networkingv1beta1.GatewayClient:
		single = gateway.Spec.Endpoint.Port
	default:
		return nil
	}
	if single != 0 {
		return nil
	}
	whole, err := leaf.ReadWhole(ctx, o.Gateway())
	if err != nil {
		return leaf.Explain(client.IgnoreNotFound(err))
	}
	o.Ports, o.Reported = portsAt(whole, "spec"), portsAt(whole, "status").Listed
	return nil
}

// portsAt returns the lists of the endpoint in a part of a gateway. Fields of a custom build that are something else
// are no lists.
func portsAt(gateway *unstructured.Unstructured, part string) Ports {
	var ports Ports
	endpoint, _, err := unstructured.NestedMap(gateway.Object, part, "endpoint")
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(endpoint, &ports) != nil {
		return Ports{}
	}
	return ports
}

// tunnels returns how many tunnels a gateway with these lists has. The result is 0 if the ports do not follow each
// other, which no settings say.
func (p Ports) tunnels() int {
	count := max(1, len(p.Listed))
	if count > 1 && !slices.Equal(p.Listed, Consecutive(p.Listed[0], count)) {
		return 0
	}
	return count
}

// firstOf returns the first port of a list, or else the single port.
func firstOf(ports []int32, single int32) int32 {
	if len(ports) > 0 {
		return ports[0]
	}
	return single
}
