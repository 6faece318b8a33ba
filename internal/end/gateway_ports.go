package end

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// CheckPorts fails if the leaf's gateway has a list of ports, one for each of several tunnels. Versions of Liqo
// after 1.2 have them. A gateway has either a port or such a list, so the settings of this package can't
// change it.
func (e *End) CheckPorts(ctx context.Context) error {
	found, err := e.Find(ctx)
	if err != nil {
		return err
	}
	return e.checkPorts(ctx, found.Gateway())
}

// checkPorts reads the gateway live, because the types of Liqo 1.2 do not have the list. There may be none.
func (e *End) checkPorts(ctx context.Context, gateway client.Object) error {
	whole := &unstructured.Unstructured{}
	switch gateway.(type) {
	case *networkingv1beta1.GatewayServer:
		whole.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayServerKind))
	case *networkingv1beta1.GatewayClient:
		whole.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayClientKind))
	default:
		return nil
	}
	if err := e.Leaf.Live.Get(ctx, client.ObjectKeyFromObject(gateway), whole); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return e.Leaf.Explain(err)
	}
	ports := severalPorts(whole)
	if len(ports) == 0 {
		return nil
	}
	return &explain.Problem{
		Leaf: e.Leaf.Name, Summary: "the gateway has a list of ports",
		Detail: fmt.Sprintf("%s has `ports` %v, for several tunnels. This version of the provider sets one `port`, which "+
			"excludes `ports`. The gateway was not changed. Give it one `port` instead, or manage this network without "+
			"the provider: `terraform state rm` forgets a resource and leaves its objects alone.",
			e.Leaf.Describe(whole), ports),
	}
}

// severalPorts returns the list of ports of a gateway, if that says more than its only port does.
func severalPorts(gateway *unstructured.Unstructured) []any {
	ports, _, err := unstructured.NestedSlice(gateway.Object, "spec", "endpoint", "ports")
	if err != nil {
		return nil // `ports` of a custom build mean something else
	}
	_, single, err := unstructured.NestedFieldNoCopy(gateway.Object, "spec", "endpoint", "port")
	if err != nil || single && len(ports) == 1 {
		return nil
	}
	return ports
}
