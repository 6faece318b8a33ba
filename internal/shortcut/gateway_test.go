package shortcut

import (
	"reflect"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// everything is a spec in which nothing has its default.
func everything() Spec {
	return Spec{
		MTU: 1400,
		Server: ServerGateway{
			ServiceType: corev1.ServiceTypeNodePort, Port: 51900, NodePort: 31000, LoadBalancerIP: "192.0.2.10",
			ServiceAnnotations: map[string]string{"speed": "fast"}, ServiceLabels: map[string]string{"team": "network"}, KeySecret: "my-keys",
			Template: Template{Name: "my-server", Namespace: "custom", Resource: DefaultServerTemplateResource},
		},
		Client: ClientGateway{
			ConnectAddress: "milan.example.com", ConnectPort: 41000, KeySecret: "my-keys",
			Template: Template{Name: "my-client", Namespace: "custom", Resource: DefaultClientTemplateResource},
		},
	}
}

// inRome is Milan's [keySecret] as Rome would have it.
func inRome(secret *corev1.Secret) *corev1.Secret {
	secret.Namespace = "liqo-tenant-milan"
	return secret
}

func TestTheGatewaysHaveEverySettingOfTheSpec(t *testing.T) {
	spec := everything()
	s := New(clustertest.Leaf(t, "rome", inRome(keySecret(newKeys(t)))), clustertest.Leaf(t, "milan", keySecret(newKeys(t)))).OwnedBy(me)
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", spec); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.ensureGatewayClient(t.Context(), "liqo-tenant-milan", Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}, spec); err != nil {
		t.Fatal(err)
	}
	state, err := s.Observe(t.Context(), false)
	if err != nil || !state.Exists {
		t.Fatalf("exists: %t (%v)", state.Exists, err)
	}
	if state.ServerGateway == nil || !reflect.DeepEqual(*state.ServerGateway, spec.Server) {
		t.Errorf("the server's gateway is %+v", state.ServerGateway)
	}
	if state.ClientGateway == nil || *state.ClientGateway != spec.Client {
		t.Errorf("the client's gateway is %+v", state.ClientGateway)
	}
	if state.Client.MTU != 1400 || state.Server.MTU != 1400 || state.Client.Namespace != "liqo-tenant-milan" || state.Server.Namespace != "liqo-tenant-rome" {
		t.Errorf("the ends are %+v and %+v", state.Client, state.Server)
	}
}

func TestTheClientDialsWhatTheServerSaysExceptForWhatTheSpecSays(t *testing.T) {
	said := Endpoint{Addresses: []string{"172.18.0.2", "172.18.0.3"}, Port: 31000, Protocol: "TCP"}
	for name, test := range map[string]struct {
		spec      ClientGateway
		addresses []string
		port      int32
	}{
		"nothing":    {ClientGateway{}, said.Addresses, 31000},
		"an address": {ClientGateway{ConnectAddress: "milan.example.com"}, []string{"milan.example.com"}, 31000},
		"a port":     {ClientGateway{ConnectPort: 41000}, said.Addresses, 41000},
		"both":       {ClientGateway{ConnectAddress: "milan.example.com", ConnectPort: 41000}, []string{"milan.example.com"}, 41000},
	} {
		rome := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")).client
		if _, err := rome.ensureGatewayClient(t.Context(), "liqo-tenant-milan", said, Spec{MTU: 1340, Client: test.spec}); err != nil {
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

func TestAGatewayThatExistsIsChangedAndNotMadeTwice(t *testing.T) {
	exposed, dialling := ours(serverGateway("rome", 51840)), ours(clientGateway("172.18.0.2"))
	exposed.Name, dialling.Name = "of-another-name", "of-another-name"
	s := New(clustertest.Leaf(t, "rome", dialling), clustertest.Leaf(t, "milan", exposed))
	spec := overNodePort
	spec.MTU = 1400
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", spec); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.ensureGatewayClient(t.Context(), "liqo-tenant-milan", Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000}, spec); err != nil {
		t.Fatal(err)
	}
	state, err := s.Observe(t.Context(), false)
	if err != nil || state.Client.MTU != 1400 || state.Server.MTU != 1400 {
		t.Errorf("the MTUs are %d and %d (%v)", state.Client.MTU, state.Server.MTU, err)
	}
	for _, on := range s.sides() {
		if found, err := on.find(t.Context()); err != nil || len(found.made()) != 1 || len(found.extra) != 0 {
			t.Errorf("on %s are %d objects and %d more (%v)", on.leaf.Name, len(found.made()), len(found.extra), err)
		}
	}
}

func TestAGatewayWithoutItsKeysIsNotMade(t *testing.T) {
	s := New(clustertest.Leaf(t, "rome", namespaceNamed("liqo-tenant-milan")), clustertest.Leaf(t, "milan", namespaceNamed("liqo-tenant-rome")))
	if _, err := s.server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", everything()); explain.Summary(err) != `Secret liqo-tenant-rome/my-keys does not exist on leaf "milan"` {
		t.Errorf("the server: %v", err)
	}
	if _, err := s.client.ensureGatewayClient(t.Context(), "liqo-tenant-milan", Endpoint{}, everything()); explain.Summary(err) != `Secret liqo-tenant-milan/my-keys does not exist on leaf "rome"` {
		t.Errorf("the client: %v", err)
	}
	if state, err := s.Observe(t.Context(), false); err != nil || state.Joined {
		t.Errorf("there is a gateway all the same (%v)", err)
	}
}

func TestTheKeyOfAGatewayIsReadWhicheverEndItIs(t *testing.T) {
	ofClient, ofServer := newKeys(t), newKeys(t)
	secret := func(remote string, keys map[string][]byte) *corev1.Secret {
		secret := keySecret(keys)
		secret.Name, secret.Namespace = "gw-"+remote, "liqo-tenant-"+remote
		return secret
	}
	s := New(clustertest.Leaf(t, "rome", withKeys(clientGateway("172.18.0.2")), secret("milan", ofClient)),
		clustertest.Leaf(t, "milan", withServerKeys(serverGateway("rome", 51840)), secret("rome", ofServer)))
	for _, end := range []struct {
		on   *side
		keys map[string][]byte
	}{{s.client, ofClient}, {s.server, ofServer}} {
		if key, err := end.on.waitForKey(t.Context()); err != nil || !slices.Equal(key, end.keys["publicKey"]) {
			t.Errorf("%s: another key (%v)", end.on.leaf.Name, err)
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
		state, err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", gateway)).Observe(t.Context(), false)
		if err != nil || (state.ServerEndpoint != nil) != test.known {
			t.Errorf("%s: %+v (%v)", name, state.ServerEndpoint, err)
		}
	}
}
