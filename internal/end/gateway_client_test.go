package end

import (
	"reflect"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestTheClientDialsTheServersEndpointUnlessTheSpecSetsAnother(t *testing.T) {
	said := liqo.Endpoint{Addresses: []string{"172.18.0.2", "172.18.0.3"}, Port: 31000, Protocol: "TCP"}
	for name, test := range map[string]struct {
		spec      liqo.GatewaySettings
		addresses []string
		port      int32
	}{
		"nothing":    {dialling("", 0), said.Addresses, 31000},
		"an address": {dialling("milan.example.com", 0), []string{"milan.example.com"}, 31000},
		"a port":     {dialling("", 41000), said.Addresses, 41000},
		"both":       {dialling("milan.example.com", 41000), []string{"milan.example.com"}, 41000},
	} {
		t.Run(name, func(t *testing.T) {
			rome := romesEnd(t)
			if _, err := rome.EnsureGateway(t.Context(), "liqo-tenant-milan", said, test.spec); err != nil {
				t.Fatal(err)
			}
			var gateway networkingv1beta1.GatewayClient
			must(t, rome.Leaf.Clients().Live.Get(t.Context(), client.ObjectKey{Namespace: "liqo-tenant-milan", Name: "milan"},
				&gateway))
			dialled := gateway.Spec.Endpoint
			if !slices.Equal(dialled.Addresses, test.addresses) || dialled.Port != test.port || dialled.Protocol == nil ||
				*dialled.Protocol != corev1.ProtocolTCP {
				t.Errorf("it dials %v, port %d", dialled.Addresses, dialled.Port)
			}
		})
	}
}

// dialling is the settings of a client without what both gateways have.
func dialling(address string, port int32) liqo.GatewaySettings {
	return liqo.GatewaySettings{Role: liqo.ClientRole, ServerAddress: address, ServerPort: port}
}

// dialled is the settings of a gateway without any default value.
func dialled() liqo.GatewaySettings {
	return liqo.GatewaySettings{
		Role:           liqo.ClientRole,
		TunnelSettings: liqo.TunnelSettings{MTU: 1400},
		ServerAddress:  "milan.example.com", ServerPort: 41000, KeySecret: "my-keys",
		Template: liqo.Template{Name: "my-client", Namespace: "custom", Resource: liqo.DefaultClientTemplateResource},
	}
}

// milansAddress is the endpoint that Milan's gateway reports.
var milansAddress = liqo.Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}

func TestAnExistingGatewayClientIsChangedInPlace(t *testing.T) {
	existing := ours(clustertest.GatewayClient("milan"))
	existing.Name = "of-another-name"
	rome := romesEnd(t, existing)
	if _, err := rome.EnsureGateway(t.Context(), "liqo-tenant-milan", milansAddress,
		liqo.GatewaySettings{Role: liqo.ClientRole, TunnelSettings: liqo.TunnelSettings{MTU: 1400}}); err != nil {
		t.Fatal(err)
	}
	if objects, err := rome.Find(t.Context()); err != nil || len(objects.Made()) != 1 || len(objects.Extra) != 0 ||
		objects.TunnelSettings().MTU != 1400 {
		t.Errorf("there are %d objects and %d more, with an MTU of %d (%v)", len(objects.Made()), len(objects.Extra),
			objects.TunnelSettings().MTU, err)
	}
}

func TestAGatewayClientIsObservedInTermsOfItsSettings(t *testing.T) {
	tunnel := liqo.TunnelSettings{MTU: 1340}
	joined := func(settings liqo.GatewaySettings) liqo.GatewaySettings {
		settings.TunnelSettings = tunnel
		return settings
	}
	gateway := joined(dialling("172.18.0.2", 31000))
	gateway.Template = liqo.DefaultTemplate(liqo.ClientRole, "liqo")
	elsewhere := liqo.Endpoint{Addresses: []string{"9.9.9.9"}, Port: 9}
	for name, test := range map[string]struct {
		set      liqo.GatewaySettings
		server   *liqo.Endpoint
		expected liqo.GatewaySettings
	}{
		"all left to the server":        {dialling("", 0), &milansAddress, joined(dialling("", 0))},
		"to a server that does not say": {dialling("", 0), nil, joined(dialling("", 0))},
		"to a server elsewhere":         {dialling("", 0), &elsewhere, joined(dialling("172.18.0.2", 31000))},
		"an address as it was set":      {dialling("172.18.0.2", 0), &elsewhere, joined(dialling("172.18.0.2", 31000))},
		"another address than was set":  {dialling("9.9.9.9", 0), &milansAddress, joined(dialling("172.18.0.2", 0))},
		"another port than was set":     {dialling("", 9), nil, joined(dialling("", 31000))},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.set.Observed(gateway, test.server, "liqo"); !reflect.DeepEqual(got, test.expected) {
				t.Errorf("%+v, expected %+v", got, test.expected)
			}
		})
	}
}
