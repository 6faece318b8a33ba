package acctest

import (
	"context"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MoveGateway restarts the pod of Milan's gateway on a node with this address.
func (l *Lab) MoveGateway(t *testing.T, address string) {
	t.Helper()
	l.CallNode(t, address)
	if err := l.Client(t, "milan").DeleteAllOf(
		t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-rome"),
	); err != nil {
		t.Fatal(err)
	}
	Await(t, l, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
		func(gateway *networkingv1beta1.GatewayServer) bool {
			return gateway.Status.Endpoint != nil && len(gateway.Status.Endpoint.Addresses) == 1 &&
				gateway.Status.Endpoint.Addresses[0] == address
		})
}

// CallNode gives Milan's node another address. It also works in a cleanup.
func (l *Lab) CallNode(t *testing.T, address string) {
	t.Helper()
	ctx, c := context.WithoutCancel(t.Context()), l.Administrator(t, "milan")
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil {
		t.Fatal(err)
	}
	node := nodes.Items[0].DeepCopy()
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
	if err := c.Status().Patch(ctx, node, client.MergeFrom(&nodes.Items[0])); err != nil {
		t.Fatal(err)
	}
}

// NodeAddress returns the address of a cluster's only node.
func (l *Lab) NodeAddress(t *testing.T, name string) string {
	t.Helper()
	var nodes corev1.NodeList
	if err := l.Client(t, name).List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for _, address := range nodes.Items[0].Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return address.Address
		}
	}
	t.Fatalf("the node of %s has no address", name)
	return ""
}
