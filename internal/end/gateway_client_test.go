package end

import (
	"reflect"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestTheClientDialsTheServersEndpointUnlessTheSpecSetsAnother(t *testing.T) {
	said := liqo.Endpoint{Addresses: []string{"172.18.0.2", "172.18.0.3"}, Port: 31000, Protocol: "TCP"}
	for name, test := range map[string]struct {
		spec      liqo.GatewayClient
		addresses []string
		port      int32
	}{
		"nothing":    {liqo.GatewayClient{}, said.Addresses, 31000},
		"an address": {liqo.GatewayClient{ServerAddress: "milan.example.com"}, []string{"milan.example.com"}, 31000},
		"a port":     {liqo.GatewayClient{ServerPort: 41000}, said.Addresses, 41000},
		"both": {liqo.GatewayClient{ServerAddress: "milan.example.com", ServerPort: 41000},
			[]string{"milan.example.com"}, 41000},
	} {
		rome := romesEnd(t)
		if _, err := rome.EnsureGatewayClient(t.Context(), "liqo-tenant-milan", said, test.spec); err != nil {
			t.Fatal(err)
		}
		var gateway networkingv1beta1.GatewayClient
		if err := rome.Leaf.Live.Get(t.Context(), client.ObjectKey{Namespace: "liqo-tenant-milan", Name: "milan"},
			&gateway); err != nil {
			t.Fatal(err)
		}
		dialled := gateway.Spec.Endpoint
		if !slices.Equal(dialled.Addresses, test.addresses) || dialled.Port != test.port || dialled.Protocol == nil ||
			*dialled.Protocol != corev1.ProtocolTCP {
			t.Errorf("%s: it dials %v, port %d", name, dialled.Addresses, dialled.Port)
		}
	}
}

// dialled is the settings of a gateway without any default value.
func dialled() liqo.GatewayClient {
	return liqo.GatewayClient{
		TunnelSettings: liqo.TunnelSettings{MTU: 1400},
		ServerAddress:  "milan.example.com", ServerPort: 41000, KeySecret: "my-keys",
		Template: liqo.Template{Name: "my-client", Namespace: "custom", Resource: liqo.DefaultClientTemplateResource},
	}
}

// milansAddress is the endpoint that Milan's gateway reports.
var milansAddress = liqo.Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}

func TestAGatewayClientHasEverySetting(t *testing.T) {
	keys := clustertest.KeySecret("rome", clustertest.NewKeys(t))
	keys.Namespace = "liqo-tenant-milan"
	rome := romesEnd(t, keys)
	rome.Owner = me
	if _, err := rome.EnsureGatewayClient(t.Context(), "liqo-tenant-milan", milansAddress, dialled()); err != nil {
		t.Fatal(err)
	}
	objects, err := rome.Find(t.Context())
	if err != nil || objects.GatewayAs(liqo.ClientRole) == nil || objects.Namespace() != "liqo-tenant-milan" ||
		objects.TunnelSettings().MTU != 1400 ||
		!me.Marked(objects.Gateway) {
		t.Fatalf("got %+v (%v)", objects.GatewayAs(liqo.ClientRole), err)
	}
	if got := objects.ObservedClient(); !reflect.DeepEqual(*got, dialled()) {
		t.Errorf("got %+v", got)
	}
}

func TestAnExistingGatewayClientIsChangedInPlace(t *testing.T) {
	existing := ours(clustertest.GatewayClient("milan"))
	existing.Name = "of-another-name"
	rome := romesEnd(t, existing)
	if _, err := rome.EnsureGatewayClient(t.Context(), "liqo-tenant-milan", milansAddress,
		liqo.GatewayClient{TunnelSettings: liqo.TunnelSettings{MTU: 1400}}); err != nil {
		t.Fatal(err)
	}
	if objects, err := rome.Find(t.Context()); err != nil || len(objects.Made()) != 1 || len(objects.Extra) != 0 ||
		objects.TunnelSettings().MTU != 1400 {
		t.Errorf("there are %d objects and %d more, with an MTU of %d (%v)", len(objects.Made()), len(objects.Extra),
			objects.TunnelSettings().MTU, err)
	}
}

func TestAGatewayClientWithoutItsKeysIsNotCreated(t *testing.T) {
	rome := romesEnd(t, clustertest.Namespace("liqo-tenant-milan"))
	_, err := rome.EnsureGatewayClient(t.Context(), "liqo-tenant-milan", milansAddress, dialled())
	if explain.Summary(err) != `Secret liqo-tenant-milan/my-keys does not exist on leaf "rome"` {
		t.Errorf("got %v", err)
	}
	if objects, err := rome.Find(t.Context()); err != nil || objects.GatewayAs(liqo.ClientRole) != nil {
		t.Errorf("there is a gateway all the same (%v)", err)
	}
}

func TestAGatewayClientIsObservedInTermsOfItsSettings(t *testing.T) {
	tunnel := liqo.TunnelSettings{MTU: 1340}
	gateway := liqo.GatewayClient{TunnelSettings: tunnel, ServerAddress: "172.18.0.2", ServerPort: 31000,
		Template: liqo.DefaultClientTemplate("liqo")}
	elsewhere := liqo.Endpoint{Addresses: []string{"9.9.9.9"}, Port: 9}
	for name, test := range map[string]struct {
		set      liqo.GatewayClient
		server   *liqo.Endpoint
		expected liqo.GatewayClient
	}{
		"all left to the server":        {liqo.GatewayClient{}, &milansAddress, liqo.GatewayClient{TunnelSettings: tunnel}},
		"to a server that does not say": {liqo.GatewayClient{}, nil, liqo.GatewayClient{TunnelSettings: tunnel}},
		"to a server elsewhere": {liqo.GatewayClient{}, &elsewhere,
			liqo.GatewayClient{TunnelSettings: tunnel, ServerAddress: "172.18.0.2", ServerPort: 31000}},
		"an address as it was set": {
			liqo.GatewayClient{ServerAddress: "172.18.0.2"}, &elsewhere,
			liqo.GatewayClient{TunnelSettings: tunnel, ServerAddress: "172.18.0.2", ServerPort: 31000},
		},
		"another address than was set": {
			liqo.GatewayClient{ServerAddress: "9.9.9.9"}, &milansAddress,
			liqo.GatewayClient{TunnelSettings: tunnel, ServerAddress: "172.18.0.2"},
		},
		"another port than was set": {
			liqo.GatewayClient{ServerPort: 9}, nil, liqo.GatewayClient{TunnelSettings: tunnel, ServerPort: 31000},
		},
	} {
		if got := test.set.Observed(gateway, test.server, "liqo"); !reflect.DeepEqual(got, test.expected) {
			t.Errorf("%s: %+v, expected %+v", name, got, test.expected)
		}
	}
}
