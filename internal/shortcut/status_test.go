package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// whole is a leaf's part of a shortcut with nothing missing, whose gateway reports this status.
func whole(role role, status networkingv1beta1.ConnectionStatusValue) objects {
	o := objects{
		configuration: &networkingv1beta1.Configuration{},
		publicKey:     &networkingv1beta1.PublicKey{},
		connection: &networkingv1beta1.Connection{
			ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: types.UID("gateway")}}},
			Status:     networkingv1beta1.ConnectionStatus{Value: status},
		},
	}
	meta := metav1.ObjectMeta{UID: types.UID("gateway")}
	if role == asServer {
		o.server = &networkingv1beta1.GatewayServer{ObjectMeta: meta}
	} else {
		o.client = &networkingv1beta1.GatewayClient{ObjectMeta: meta}
	}
	return o
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
		if got := (network{whole(asClient, test.client), whole(asServer, test.server)}).status(false); got != test.expected {
			t.Errorf("client %q, server %q: %s, expected %s", test.client, test.server, got, test.expected)
		}
	}
}

func TestWithoutAnyOneObjectThereIsNoConnection(t *testing.T) {
	for name, remove := range map[string]func(client, server *objects){
		"the client's Configuration": func(client, _ *objects) { client.configuration = nil },
		"the server's Configuration": func(_, server *objects) { server.configuration = nil },
		"the GatewayClient":          func(client, _ *objects) { client.client = nil },
		"the GatewayServer":          func(_, server *objects) { server.server = nil },
		"the client's PublicKey":     func(client, _ *objects) { client.publicKey = nil },
		"the server's PublicKey":     func(_, server *objects) { server.publicKey = nil },
	} {
		client, server := whole(asClient, networkingv1beta1.Connected), whole(asServer, networkingv1beta1.Connected)
		remove(&client, &server)
		if got := (network{client, server}).status(false); got != Disconnected {
			t.Errorf("without %s: %s", name, got)
		}
	}
}

func TestAConnectionOfAnEarlierGatewayCountsForNothing(t *testing.T) {
	client, server := whole(asClient, networkingv1beta1.Connected), whole(asServer, networkingv1beta1.Connected)
	server.server.UID = "a new gateway"
	if got := (network{client, server}).status(false); got != Connecting {
		t.Errorf("got %s", got)
	}
}

func TestKeysThatOthersBringMayBeMissing(t *testing.T) {
	client, server := whole(asClient, networkingv1beta1.Connecting), whole(asServer, "")
	client.publicKey, server.publicKey = nil, nil
	if got := (network{client, server}).status(true); got != Connecting {
		t.Errorf("got %s", got)
	}
}

func TestAKeyThatSomebodyEditedEndsTheConnection(t *testing.T) {
	client, server := whole(asClient, networkingv1beta1.Connected), whole(asServer, networkingv1beta1.Connected)
	client.publicKey.Spec.PublicKey = []byte("theirs")
	client.publicKey.Annotations = map[string]string{appliedKeyAnnotation: digest([]byte("ours"))}
	if got := (network{client, server}).status(false); got != Disconnected {
		t.Errorf("got %s", got)
	}
}
