package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// everything is a spec in which nothing has its default.
func everything() Spec {
	return Spec{
		MTU: 1400,
		Server: GatewayServer{
			ServiceType: corev1.ServiceTypeNodePort, Port: 51900, NodePort: 31000, LoadBalancerIP: "192.0.2.10",
			ServiceAnnotations: map[string]string{"speed": "fast"}, ServiceLabels: map[string]string{"team": "network"}, KeySecret: "my-keys",
			Template: Template{Name: "my-server", Namespace: "custom", Resource: DefaultServerTemplateResource},
		},
		Client: GatewayClient{
			ConnectAddress: "milan.example.com", ConnectPort: 41000, KeySecret: "my-keys",
			Template: Template{Name: "my-client", Namespace: "custom", Resource: DefaultClientTemplateResource},
		},
	}.withMTU()
}

func TestAnEndpointIsKnownOnceItHasAnAddressAndAPort(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*networkingv1beta1.GatewayServer)
		known  bool
	}{
		"both":             {func(*networkingv1beta1.GatewayServer) {}, true},
		"nothing":          {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint = nil }, false},
		"no port":          {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint.Port = 0 }, false},
		"no address":       {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint.Addresses = nil }, false},
		"an empty address": {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint.Addresses = []string{""} }, false},
	} {
		gateway := serverGateway("rome", 51840)
		test.change(gateway)
		state, err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", gateway)).Observe(t.Context(), false)
		if err != nil || (state.ServerEndpoint != nil) != test.known {
			t.Errorf("%s: %+v (%v)", name, state.ServerEndpoint, err)
		}
	}
}

func TestAServiceIsMissedOnlyWhileTheTunnelIsDown(t *testing.T) {
	for name, test := range map[string]struct {
		objects []client.Object
		lost    bool
	}{
		"no Service, the tunnel down":                             {[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.ConnectionError)}, true},
		"no Service, the tunnel up":                               {[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.Connected)}, false},
		"neither Service nor Deployment, so that Liqo makes both": {[]client.Object{milansConnection(networkingv1beta1.ConnectionError)}, false},
		"a Service, the tunnel down": {
			[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.ConnectionError), gatewayService(corev1.ServiceTypeNodePort)}, false,
		},
	} {
		gateway := wireGuard(ours(serverGateway("rome", 51840)))
		server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", append(test.objects, gateway)...)).server
		found, err := server.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lost, err := server.serviceLost(t.Context(), found); err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
		}
	}
}
