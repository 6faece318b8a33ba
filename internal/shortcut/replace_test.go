package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// dialling is Rome's gateway for Milan, which dials that address.
func dialling(address string) *networkingv1beta1.GatewayClient {
	gateway := clustertest.GatewayClient("milan")
	gateway.Spec.Endpoint.Addresses = []string{address}
	return gateway
}

func TestTheServersGatewayIsReplacedOnlyIfItCannotChangeInPlace(t *testing.T) {
	service, deployment := clustertest.GatewayService("rome"), clustertest.GatewayDeployment("rome")
	for name, test := range map[string]struct {
		client   *networkingv1beta1.GatewayClient
		server   *networkingv1beta1.GatewayServer
		made     []client.Object // by Liqo, for the server's
		spec     func(*Spec)
		replaces bool
	}{
		"as they should be": {client: clustertest.GatewayClient("milan"),
			server: clustertest.GatewayServer("rome", 51840)},
		"none there":        {},
		"only the server's": {server: clustertest.GatewayServer("rome", 51840)},
		"another port": {client: clustertest.GatewayClient("milan"),
			server: clustertest.GatewayServer("rome", 1)},
		"another MTU": {client: clustertest.GatewayClient("milan"),
			server: clustertest.GatewayServer("rome", 51840), spec: func(s *Spec) { s.MTU = 1400 }},
		"another template": {client: clustertest.GatewayClient("milan"), server: clustertest.GatewayServer("rome", 51840),
			spec: func(s *Spec) { s.Server.Template.Name = "large" }, replaces: true},
		"another Secret": {client: clustertest.GatewayClient("milan"), server: clustertest.GatewayServer("rome", 51840),
			spec: func(s *Spec) { s.Server.KeySecret = "my-keys" }, replaces: true},
		"another address dialled": {client: dialling("9.9.9.9"), server: clustertest.GatewayServer("rome", 51840)},
		"an address to dial": {
			client: clustertest.GatewayClient("milan"), server: clustertest.GatewayServer("rome",
				51840), spec: func(s *Spec) { s.Client.ServerAddress = "9.9.9.9" },
		},
		"no address for a moment": {
			client: clustertest.GatewayClient("milan"),
			server: clustertest.WithoutAddress(clustertest.WireGuard(clustertest.GatewayServer("rome", 51840))),
			made:   []client.Object{deployment, service},
		},
		"no Service any more": {
			client: clustertest.GatewayClient("milan"), server: clustertest.WireGuard(clustertest.GatewayServer("rome",
				51840)), made: []client.Object{deployment}, replaces: true,
		},
		"a Service that was never made": {
			server:   clustertest.WithoutAddress(clustertest.WireGuard(clustertest.GatewayServer("rome", 51840))),
			made:     []client.Object{deployment},
			replaces: true,
		},
		"neither Deployment nor Service yet": {
			server: clustertest.WithoutAddress(clustertest.WireGuard(clustertest.GatewayServer("rome", 51840))),
		},
		"no keys any more, client": {client: clustertest.WithClientKeys(clustertest.GatewayClient("milan")),
			server: clustertest.GatewayServer("rome", 51840)},
		"no keys any more, server": {client: clustertest.GatewayClient("milan"),
			server: clustertest.WithServerKeys(clustertest.GatewayServer("rome", 51840)), replaces: true},
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
			replaces, err := shortcut.replaces(spec.shareSettings().Server)(t.Context(), "liqo-tenant-rome")
			if err != nil || replaces != test.replaces {
				t.Errorf("replaces: %t (%v)", replaces, err)
			}
		})
	}
}

func TestTheClientsGatewayIsReplacedOnlyIfItCannotChangeInPlace(t *testing.T) {
	for name, test := range map[string]struct {
		gateway  *networkingv1beta1.GatewayClient
		spec     func(*Spec)
		replaces bool
	}{
		"as it should be": {gateway: clustertest.GatewayClient("milan")},
		"another address": {gateway: dialling("9.9.9.9")},
		"an address of its own": {gateway: clustertest.GatewayClient("milan"),
			spec: func(s *Spec) { s.Client.ServerAddress = "9.9.9.9" }},
		"another MTU": {
			gateway: clustertest.GatewayClient("milan"), spec: func(s *Spec) { s.MTU = 1400 },
		},
		"another template": {gateway: clustertest.GatewayClient("milan"),
			spec: func(s *Spec) { s.Client.Template.Name = "large" }, replaces: true},
		"no keys any more": {gateway: clustertest.WithClientKeys(clustertest.GatewayClient("milan")), replaces: true},
		"none there":       {},
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
			shortcut := New(clustertest.Leaf(t, "rome", onRome...), clustertest.Leaf(t, "milan"))
			replaces, err := shortcut.replaces(spec.shareSettings().Client)(t.Context(), "liqo-tenant-milan")
			if err != nil || replaces != test.replaces {
				t.Errorf("replaces: %t (%v)", replaces, err)
			}
		})
	}
}

func TestARepairUnlabelsOnlyAFormerSecret(t *testing.T) {
	former := liqo.KeySecret{Namespace: "liqo-tenant-rome", Name: "my-keys"}
	using := func(name string) client.Object {
		gateway := exposedGateway()
		gateway.Spec.SecretRef.Name = name
		return gateway
	}
	for name, test := range map[string]struct {
		gateway  []client.Object
		labelled bool
	}{
		"the gateway is gone":         {nil, false},
		"the gateway uses another":    {[]client.Object{using("other-keys")}, false},
		"the gateway still uses that": {[]client.Object{using("my-keys")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			milan := clustertest.Leaf(t, "milan", append(test.gateway, clustertest.KeySecret("rome", nil))...)
			server := New(clustertest.Leaf(t, "rome"), milan).Server
			must(t, server.ReleaseKeySecret(t.Context(), former))
			var secret corev1.Secret
			if err := milan.Clients().Live.Get(t.Context(), client.ObjectKey(former), &secret); err != nil ||
				(cluster.RemoteID(&secret) != "") != test.labelled {
				t.Errorf("labels are %v (%v)", secret.Labels, err)
			}
		})
	}
}

func TestOnlyObjectsThatAnApplyRestoresAreLost(t *testing.T) {
	key := make([]byte, 32)
	keyOf := func(leaf string) client.Object {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-" + leaf, Name: "gw-" + leaf},
			Data:       map[string][]byte{"publicKey": key},
		}
	}
	told := func(leaf string, key []byte) client.Object {
		publicKey, err := forge.PublicKey("liqo-tenant-"+leaf, nil, "", key)
		must(t, err)
		publicKey.Name, publicKey.Labels["liqo.io/remote-cluster-id"] = leaf, leaf
		return ours(publicKey)
	}
	connectedOnce := ours(clustertest.Configuration("rome"))
	annotate(connectedOnce, "complete", `{"owner":"","connected":true}`)
	seenOnce := ours(clustertest.Configuration("rome"))
	annotate(seenOnce, "complete", `{"owner":""}`)
	down, service := clustertest.Connection("rome",
		networkingv1beta1.ConnectionError), clustertest.GatewayService("rome")
	for name, test := range map[string]struct {
		rome, milan []client.Object
		lost        bool
	}{
		"nothing": {
			[]client.Object{keyOf("milan"), told("milan", key)},
			[]client.Object{down, service, keyOf("rome"), told("rome", key)}, false,
		},
		"the Service": {nil, []client.Object{down}, true},
		"the keys of the client": {
			nil, []client.Object{down, service, keyOf("rome"), told("rome", key)}, true,
		},
		"the server, of which the client knows another key": {
			[]client.Object{keyOf("milan"), told("milan", []byte("another key that has 32 bytes, so"[:32]))},
			[]client.Object{down, service, keyOf("rome"), told("rome", key)}, true,
		},
		"a Connection": {
			[]client.Object{keyOf("milan"), told("milan", key)},
			[]client.Object{connectedOnce, service, keyOf("rome"), told("rome", key)}, true,
		},
		"a Connection that there may never have been": {
			[]client.Object{keyOf("milan"), told("milan", key)},
			[]client.Object{seenOnce, service, keyOf("rome"), told("rome", key)}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rome := clustertest.Leaf(t, "rome", append(test.rome,
				ours(clustertest.WithClientKeys(clustertest.GatewayClient("milan"))))...)
			milan := clustertest.Leaf(t, "milan", append(test.milan, clustertest.GatewayDeployment("rome"),
				clustertest.WithServerKeys(exposedGateway()))...)
			if lost, err := New(rome, milan).lost(t.Context()); err != nil || lost != test.lost {
				t.Errorf("lost: %t (%v)", lost, err)
			}
		})
	}
}
