package shortcut

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestTheClientDialsWhatTheServerSaysExceptForWhatTheSpecSays(t *testing.T) {
	said := Endpoint{Addresses: []string{"172.18.0.2", "172.18.0.3"}, Port: 31000, Protocol: "TCP"}
	for name, test := range map[string]struct {
		spec      GatewayClient
		addresses []string
		port      int32
	}{
		"nothing":    {GatewayClient{}, said.Addresses, 31000},
		"an address": {GatewayClient{ConnectAddress: "milan.example.com"}, []string{"milan.example.com"}, 31000},
		"a port":     {GatewayClient{ConnectPort: 41000}, said.Addresses, 41000},
		"both":       {GatewayClient{ConnectAddress: "milan.example.com", ConnectPort: 41000}, []string{"milan.example.com"}, 41000},
	} {
		rome := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")).client
		if _, err := rome.ensureGatewayClient(t.Context(), "liqo-tenant-milan", said, test.spec); err != nil {
			t.Fatal(err)
		}
		var gateway networkingv1beta1.GatewayClient
		if err := rome.leaf.Live.Get(t.Context(), client.ObjectKey{Namespace: "liqo-tenant-milan", Name: "milan"}, &gateway); err != nil {
			t.Fatal(err)
		}
		dialled := gateway.Spec.Endpoint
		if !slices.Equal(dialled.Addresses, test.addresses) || dialled.Port != test.port || dialled.Protocol == nil || *dialled.Protocol != corev1.ProtocolTCP {
			t.Errorf("%s: it dials %v, port %d", name, dialled.Addresses, dialled.Port)
		}
	}
}
