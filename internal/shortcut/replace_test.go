package shortcut

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAGatewayIsReplacedIfItCannotChangeInPlaceOrItsLossMayHaveLeftSomething(t *testing.T) {
	server, dials := ours(clustertest.GatewayServer("rome", 51840)), ours(clustertest.GatewayClient("milan"))
	another := ours(clustertest.GatewayServer("rome", 51840))
	another.Spec.ServerTemplateRef.Name = "large"
	for name, test := range map[string]struct {
		rome, milan      []client.Object
		replacesAtClient bool
		replacesAtServer bool
	}{
		"none there":          {},
		"both":                {rome: []client.Object{dials}, milan: []client.Object{server}},
		"the server's only":   {milan: []client.Object{server}},
		"the client's only":   {rome: []client.Object{dials}, replacesAtServer: true},
		"of another template": {rome: []client.Object{dials}, milan: []client.Object{another}, replacesAtServer: true},
		"in the opposite direction": {
			[]client.Object{ours(clustertest.GatewayServer("milan", 51840))},
			[]client.Object{ours(clustertest.GatewayClient("rome"))}, true, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(clustertest.Leaf(t, "rome", test.rome...), clustertest.Leaf(t, "milan", test.milan...))
			atClient, err := s.replaces(overNodePort.Client)(t.Context(), "liqo-tenant-milan")
			must(t, err)
			atServer, err := s.replaces(overNodePort.Server)(t.Context(), "liqo-tenant-rome")
			must(t, err)
			if atClient != test.replacesAtClient || atServer != test.replacesAtServer {
				t.Errorf("replaces the client: %t, the server: %t", atClient, atServer)
			}
		})
	}
}

func TestOnlyObjectsThatAnApplyRestoresAreLost(t *testing.T) {
	keyOf := func(remote string) client.Object {
		secret := clustertest.KeySecret(remote, map[string][]byte{"publicKey": key(1)})
		secret.Name = "gw-" + remote
		return secret
	}
	told := func(remote string, key []byte) client.Object {
		publicKey := ours(clustertest.PublicKey(remote))
		publicKey.Spec.PublicKey = key
		return publicKey
	}
	connectedOnce, seenOnce := ours(clustertest.Configuration("rome")), ours(clustertest.Configuration("rome"))
	annotate(connectedOnce, "complete", `{"owner":"","connected":true}`)
	annotate(seenOnce, "complete", `{"owner":""}`)
	down, service := clustertest.Connection("rome", failed.Value), clustertest.GatewayService("rome")
	atRome := []client.Object{keyOf("milan"), told("milan", key(1))}
	atMilan := []client.Object{service, keyOf("rome"), told("rome", key(1)), down}
	for name, test := range map[string]struct {
		rome, milan []client.Object
		lost        bool
	}{
		"nothing":                {atRome, atMilan, false},
		"the Service":            {nil, []client.Object{down}, true},
		"the keys of the client": {nil, atMilan, true},
		"the server, of which the client knows another key": {
			[]client.Object{keyOf("milan"), told("milan", key(2))}, atMilan, true,
		},
		"a Connection": {atRome, append(atMilan[:3:3], connectedOnce), true},
		"a Connection that there may never have been": {atRome, append(atMilan[:3:3], seenOnce), false},
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
