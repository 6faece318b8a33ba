package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// withoutAddress is the gateway while its status has no address, as Liqo writes it for a node that is not ready.
func withoutAddress(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.Status.Endpoint.Addresses = []string{""}
	return gateway
}

func TestTheServersGatewayIsReplacedOnlyIfItIsToChange(t *testing.T) {
	service, deployment := gatewayService(), gatewayDeployment()
	for name, test := range map[string]struct {
		client   *networkingv1beta1.GatewayClient
		server   *networkingv1beta1.GatewayServer
		made     []client.Object // by Liqo, for the server's
		spec     func(*Spec)
		replaces bool
	}{
		"as they should be":        {client: clientGateway("172.18.0.2"), server: serverGateway("rome", 51840)},
		"none there":               {},
		"only the server's":        {server: serverGateway("rome", 51840)},
		"another port":             {client: clientGateway("172.18.0.2"), server: serverGateway("rome", 1), replaces: true},
		"another MTU":              {client: clientGateway("172.18.0.2"), server: serverGateway("rome", 51840), spec: func(s *Spec) { s.MTU = 1400 }, replaces: true},
		"nothing to dial any more": {client: clientGateway("172.18.0.2"), replaces: true},
		"another address dialled":  {client: clientGateway("9.9.9.9"), server: serverGateway("rome", 51840)},
		"an address to dial": {
			client: clientGateway("172.18.0.2"), server: serverGateway("rome", 51840), spec: func(s *Spec) { s.Client.ConnectAddress = "9.9.9.9" },
		},
		"no address for a moment": {
			client: clientGateway("172.18.0.2"), server: withoutAddress(wireGuard(serverGateway("rome", 51840))), made: []client.Object{deployment, service},
		},
		"no Service any more": {
			client: clientGateway("172.18.0.2"), server: wireGuard(serverGateway("rome", 51840)), made: []client.Object{deployment}, replaces: true,
		},
		"a Service that was never made":      {server: withoutAddress(wireGuard(serverGateway("rome", 51840))), made: []client.Object{deployment}, replaces: true},
		"neither Deployment nor Service yet": {server: withoutAddress(wireGuard(serverGateway("rome", 51840)))},
		"no keys any more, client":           {client: withKeys(clientGateway("172.18.0.2")), server: serverGateway("rome", 51840)},
		"no keys any more, server":           {client: clientGateway("172.18.0.2"), server: withServerKeys(serverGateway("rome", 51840)), replaces: true},
	} {
		t.Run(name, func(t *testing.T) {
			onMilan := test.made
			var onRome []client.Object
			if test.client != nil {
				onRome = append(onRome, ours(test.client))
			}
			if test.server != nil {
				onMilan = append(onMilan, ours(test.server))
			}
			spec := overNodePort
			if test.spec != nil {
				test.spec(&spec)
			}
			shortcut := New(clustertest.Leaf(t, "rome", onRome...), clustertest.Leaf(t, "milan", onMilan...))
			if replaces, err := shortcut.replacesServer(t.Context(), spec, "liqo-tenant-rome"); err != nil || replaces != test.replaces {
				t.Errorf("replaces: %t (%v)", replaces, err)
			}
		})
	}
}

func TestTheClientHangsUpOnlyIfItIsToDialOtherwise(t *testing.T) {
	server := Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}
	for name, test := range map[string]struct {
		gateway *networkingv1beta1.GatewayClient
		spec    func(*Spec)
		stays   bool
	}{
		"as it should be":       {gateway: clientGateway("172.18.0.2"), stays: true},
		"another address":       {gateway: clientGateway("9.9.9.9")},
		"an address of its own": {gateway: clientGateway("172.18.0.2"), spec: func(s *Spec) { s.Client.ConnectAddress = "9.9.9.9" }},
		"another MTU":           {gateway: clientGateway("172.18.0.2"), spec: func(s *Spec) { s.MTU = 1400 }},
		"no keys any more":      {gateway: withKeys(clientGateway("172.18.0.2"))},
		"none there":            {},
	} {
		t.Run(name, func(t *testing.T) {
			var onRome []client.Object
			if test.gateway != nil {
				onRome = append(onRome, ours(test.gateway))
			}
			spec := overNodePort
			if test.spec != nil {
				test.spec(&spec)
			}
			rome := New(clustertest.Leaf(t, "rome", onRome...), clustertest.Leaf(t, "milan")).client
			if err := rome.hangUp(t.Context(), "liqo-tenant-milan", server, spec); err != nil {
				t.Fatal(err)
			}
			if left, err := rome.find(t.Context()); err != nil || (left.client != nil) != test.stays {
				t.Errorf("left is %v (%v)", left.client, err)
			}
		})
	}
}
