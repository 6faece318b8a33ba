package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// wholeClient and wholeServer are the two ends of a complete network. The gateway reports this status.
func wholeClient(status networkingv1beta1.ConnectionStatusValue) liqo.Objects {
	whole := connected(status)
	whole.Gateway = liqo.GatewayOf(clustertest.GatewayClient("milan"))
	whole.Gateway.SetUID("gateway")
	return whole
}

func wholeServer(status networkingv1beta1.ConnectionStatusValue) liqo.Objects {
	whole := connected(status)
	whole.Gateway = liqo.GatewayOf(&networkingv1beta1.GatewayServer{ObjectMeta: metav1.ObjectMeta{UID: "gateway"}})
	return whole
}

// connected is all objects except the gateway.
func connected(status networkingv1beta1.ConnectionStatusValue) liqo.Objects {
	return liqo.Objects{
		Configuration: &networkingv1beta1.Configuration{},
		PublicKey:     &networkingv1beta1.PublicKey{},
		Connection: &networkingv1beta1.Connection{
			ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "gateway"}}},
			Status:     networkingv1beta1.ConnectionStatus{Value: status},
		},
	}
}

func TestTheStatusIsThatOfTheWorseEnd(t *testing.T) {
	for _, test := range []struct {
		client, server networkingv1beta1.ConnectionStatusValue
		expected       Status
	}{
		{networkingv1beta1.Connected, networkingv1beta1.Connected, Connected},
		{networkingv1beta1.Connected, networkingv1beta1.Connecting, Connecting},
		{networkingv1beta1.Connecting, networkingv1beta1.Connected, Connecting},
		{networkingv1beta1.Connected, "", Connecting},
		{networkingv1beta1.ConnectionError, networkingv1beta1.Connected, Error},
		{networkingv1beta1.Connecting, networkingv1beta1.ConnectionError, Error},
	} {
		n := network{client: wholeClient(test.client), server: wholeServer(test.server)}
		if got := n.status(); got != test.expected {
			t.Errorf("client %q, server %q: %s, expected %s", test.client, test.server, got, test.expected)
		}
	}
}

func TestWithAnyObjectMissingThereIsNoConnection(t *testing.T) {
	for name, remove := range map[string]func(client, server *liqo.Objects){
		"the client's Configuration": func(client, _ *liqo.Objects) { client.Configuration = nil },
		"the server's Configuration": func(_, server *liqo.Objects) { server.Configuration = nil },
		"the GatewayClient":          func(client, _ *liqo.Objects) { client.Gateway = nil },
		"the server's address":       func(client, _ *liqo.Objects) { client.Gateway.Endpoint.Addresses = nil },
		"the GatewayServer":          func(_, server *liqo.Objects) { server.Gateway = nil },
		"the client's PublicKey":     func(client, _ *liqo.Objects) { client.PublicKey = nil },
		"the server's PublicKey":     func(_, server *liqo.Objects) { server.PublicKey = nil },
	} {
		t.Run(name, func(t *testing.T) {
			client, server := wholeClient(networkingv1beta1.Connected), wholeServer(networkingv1beta1.Connected)
			remove(&client, &server)
			if got := (network{client: client, server: server}).status(); got != Disconnected {
				t.Errorf("without %s: %s", name, got)
			}
		})
	}
}

func TestAConnectionOfAnEarlierGatewayDoesNotCount(t *testing.T) {
	client, server := wholeClient(networkingv1beta1.Connected), wholeServer(networkingv1beta1.Connected)
	server.Gateway.SetUID("a new gateway")
	if got := (network{client: client, server: server}).status(); got != Connecting {
		t.Errorf("got %s", got)
	}
}

func TestAnEditedKeyEndsTheConnection(t *testing.T) {
	client, server := wholeClient(networkingv1beta1.Connected), wholeServer(networkingv1beta1.Connected)
	client.PublicKey.Spec.PublicKey = []byte("theirs")
	annotate(client.PublicKey, "key-sha256", "that of another key")
	if got := (network{client: client, server: server}).status(); got != Disconnected {
		t.Errorf("got %s", got)
	}
}
