package end

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// CheckPorts fails if the leaf's gateway has a list of ports, one for each of several tunnels. Versions of Liqo after
// 1.2 have them. A gateway has either a port or such a list, so the settings of this package can't change it.
func (e *End) CheckPorts(ctx context.Context) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	return e.checkPorts(ctx, objects.Gateway())
}

// checkPorts reads a gateway without a port live, because the types of Liqo 1.2 do not have the list. There may be no
// gateway.
func (e *End) checkPorts(ctx context.Context, gateway client.Object) error {
	var (
		port int32
		kind string
	)
	switch gateway := gateway.(type) {
	case *networkingv1beta1.GatewayServer:
		port, kind = gateway.Spec.Endpoint.Port, networkingv1beta1.GatewayServerKind
	case *networkingv1beta1.GatewayClient:
		port, kind = gateway.Spec.Endpoint.Port, networkingv1beta1.GatewayClientKind
	default:
		return nil
	}
	if port != 0 {
		return nil
	}
	whole := &unstructured.Unstructured{}
	whole.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	if err := e.Leaf.Live.Get(ctx, client.ObjectKeyFromObject(gateway), whole); err != nil {
		return e.Leaf.Explain(client.IgnoreNotFound(err))
	}
	ports, _, err := unstructured.NestedSlice(whole.Object, "spec", "endpoint", "ports")
	if err != nil || len(ports) == 0 {
		return nil //nolint:nilerr // `ports` of a custom build mean something else
	}
	return &explain.Problem{
		Leaf: e.Leaf.Name, Summary: "the gateway has a list of ports",
		Detail: fmt.Sprintf("%s has `ports` %v, for several tunnels. This version of the provider sets one `port`, which "+
			"excludes `ports`. The gateway was not changed. Give it one `port` instead, or manage this network without "+
			"the provider: `terraform state rm` forgets a resource and leaves its objects alone.",
			e.Leaf.Describe(whole), ports),
	}
}
