package shortcut

import (
	"reflect"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// exposed is the settings of a gateway in which nothing has its default.
func exposed() GatewayServer {
	return GatewayServer{
		MTU: 1400, ServiceType: corev1.ServiceTypeNodePort, Port: 51900, NodePort: 31000, LoadBalancerIP: "192.0.2.10",
		ServiceAnnotations: map[string]string{"speed": "fast"}, ServiceLabels: map[string]string{"team": "network"}, KeySecret: "my-keys",
		Template: Template{Name: "my-server", Namespace: "custom", Resource: DefaultServerTemplateResource},
	}
}

func TestAGatewayServerHasEverySetting(t *testing.T) {
	milan := milansEnd(t, keySecret(newKeys(t)))
	milan.owner = me
	if _, err := milan.ensureGatewayServer(t.Context(), "liqo-tenant-rome", exposed()); err != nil {
		t.Fatal(err)
	}
	found, err := milan.find(t.Context())
	if err != nil || found.server == nil || found.namespace() != "liqo-tenant-rome" || found.mtu() != 1400 || !me.marked(found.server) {
		t.Fatalf("got %+v (%v)", found.server, err)
	}
	if got := gatewayServerOf(found.server); !reflect.DeepEqual(*got, exposed()) {
		t.Errorf("got %+v", got)
	}
}

func TestAGatewayServerThatExistsIsChangedAndNotMadeTwice(t *testing.T) {
	existing := ours(serverGateway("rome", 51840))
	existing.Name = "of-another-name"
	milan := milansEnd(t, existing)
	changed := overNodePort.Server
	changed.MTU = 1400
	if _, err := milan.ensureGatewayServer(t.Context(), "liqo-tenant-rome", changed); err != nil {
		t.Fatal(err)
	}
	if found, err := milan.find(t.Context()); err != nil || len(found.made()) != 1 || len(found.extra) != 0 || found.mtu() != 1400 {
		t.Errorf("there are %d objects and %d more, with an MTU of %d (%v)", len(found.made()), len(found.extra), found.mtu(), err)
	}
}

func TestAGatewayServerWithoutItsKeysIsNotMade(t *testing.T) {
	milan := milansEnd(t, namespaceNamed("liqo-tenant-rome"))
	_, err := milan.ensureGatewayServer(t.Context(), "liqo-tenant-rome", exposed())
	if explain.Summary(err) != `Secret liqo-tenant-rome/my-keys does not exist on leaf "milan"` {
		t.Errorf("got %v", err)
	}
	if found, err := milan.find(t.Context()); err != nil || found.server != nil {
		t.Errorf("there is a gateway all the same (%v)", err)
	}
}

func TestAnAddressOfAGatewayServerIsNoReasonToReplaceItAndAnyOtherSettingIs(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*GatewayServer)
		differs bool
	}{
		"nothing":         {func(*GatewayServer) {}, false},
		"the MTU":         {func(g *GatewayServer) { g.MTU = 1400 }, true},
		"the port":        {func(g *GatewayServer) { g.Port = 1 }, true},
		"a label":         {func(g *GatewayServer) { g.ServiceLabels = map[string]string{"a": "b"} }, true},
		"the template":    {func(g *GatewayServer) { g.Template.Name = "large" }, true},
		"Liqo's, by name": {func(g *GatewayServer) { g.Template.Name = DefaultServerTemplateName }, false},
	} {
		spec := overNodePort.Server
		test.change(&spec)
		milan := milansEnd(t, withoutAddress(serverGateway("rome", 51840)))
		if differs, err := milan.gatewayServerDiffers(t.Context(), "liqo-tenant-rome", spec); err != nil || differs != test.differs {
			t.Errorf("%s: differs: %t (%v)", name, differs, err)
		}
	}
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
		if endpoint := endpointOf(gateway); (endpoint != nil) != test.known {
			t.Errorf("%s: %+v", name, endpoint)
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
			[]client.Object{gatewayDeployment(), milansConnection(networkingv1beta1.ConnectionError), gatewayService()}, false,
		},
	} {
		gateway := wireGuard(ours(serverGateway("rome", 51840)))
		server := milansEnd(t, append(test.objects, gateway)...)
		found, err := server.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lost, err := server.serviceLost(t.Context(), found); err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
		}
	}
}
