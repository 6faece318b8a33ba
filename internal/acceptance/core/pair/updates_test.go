package pair

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccAShortcutOverANodePortIsCreatedChangedAndRemoved(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort))
	p.Is(acctest.RomeMilan, map[string]any{
		"status": "Connected", "id": "rome/milan", "client_cluster_id": "rome", "server_cluster_id": "milan",
		"client_namespace": "liqo-tenant-milan", "server_namespace": "liqo-tenant-rome", "mtu": 1340,
		"server_endpoint": map[string]any{
			"addresses": []string{lab.NodeAddress(t, "milan")}, "port": p.Value(acctest.RomeMilan, "server_endpoint.port"),
			"protocol": "UDP",
		},
	})
	isNodePort(p)
	lab.AsLiqoSays(p, acctest.RomeMilan, "rome", "milan")

	p.Becomes(lab.Between("milan", `
		mtu            = 1400
		server_gateway = { service_type = "NodePort", node_port = 31000 }`), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "mtu": 1400, "server_endpoint.port": 31000})
	lab.GatewaysHaveMTU(t, 1400)
}

// isNodePort fails the test unless the shortcut's server is reached at a port of Kubernetes's usual range.
func isNodePort(p *acctest.Project) {
	p.T.Helper()
	port, err := strconv.Atoi(fmt.Sprint(p.Value(acctest.RomeMilan, "server_endpoint.port")))
	if err != nil || port < 30000 || port > 32767 {
		p.T.Errorf("%d is not a node port (%v)", port, err)
	}
}

// updated is a shortcut from Rome to Milan whose settings change.
type updated struct {
	*acctest.Project
	lab      *acctest.Lab
	gateways *acctest.GatewayUIDs
}

// both are the leaves whose gateways a change can replace.
var both = []string{"rome", "milan"}

// created applies a shortcut over a node port.
func created(t *testing.T) *updated {
	t.Helper()
	lab := acctest.Borrow(t, acctest.Pair)
	u := &updated{
		lab.Applied(t, lab.Between("milan", acctest.OverNodePort)), lab, &acctest.GatewayUIDs{Lab: lab},
	}
	u.IsConnected()
	u.gateways.AreReplaced(t, both...)
	return u
}

// changes applies other settings, which must be an update in place. It replaces the gateways of these leaves, and leads
// to these values in the state. The next plan is empty.
func (u *updated) changes(settings string, replaced []string, values map[string]any) {
	u.T.Helper()
	u.Becomes(u.lab.Between("milan", settings), acctest.InPlace)
	u.IsConnected()
	u.gateways.AreReplaced(u.T, replaced...)
	u.Is(acctest.RomeMilan, values)
}

// haveTemplates fails the test unless both gateways are made from these templates.
func (u *updated) haveTemplates(ofClient, ofServer string) {
	u.T.Helper()
	u.lab.Has(u.T, "rome", &networkingv1beta1.GatewayClientList{}, ".spec.clientTemplateRef.name", ofClient)
	u.lab.Has(u.T, "milan", &networkingv1beta1.GatewayServerList{}, ".spec.serverTemplateRef.name", ofServer)
}

func TestAccTheServersGatewayChangesInPlace(t *testing.T) {
	u := created(t)
	u.lab.CopyTemplate(t, "milan", "my-server")
	service := func() *corev1.Service {
		return acctest.Get[corev1.Service](t, u.lab, "milan", "liqo-tenant-rome", "gw-rome")
	}
	const address, port = "server_endpoint.addresses", "server_endpoint.port"
	u.changes("", nil, map[string]any{port: 51840}) // to a load balancer
	u.changes(`server_gateway = { port = 51900 }`, nil, map[string]any{port: 51900})
	u.changes(`server_gateway = { load_balancer_ip = "192.0.2.10" }`, nil,
		map[string]any{address: []string{"192.0.2.10"}, port: 51840})
	u.changes(`server_gateway = { service_type = "NodePort", node_port = 31010 }`, nil,
		map[string]any{address: []string{u.lab.NodeAddress(t, "milan")}, port: 31010})
	u.changes(`server_gateway = {
		service_type        = "NodePort"
		service_annotations = { "example.com/speed" = "fast" }
		service_labels      = { team = "network" }
	}`, nil, nil)
	isNodePort(u.Project)
	if has := service(); has.Annotations["example.com/speed"] != "fast" || has.Labels["team"] != "network" {
		t.Errorf("the Service is not marked: %+v", has)
	}
	u.changes(acctest.OverNodePort+"\nmtu = 1400", nil, nil)
	u.lab.GatewaysHaveMTU(t, 1400)
	u.changes(`server_gateway = { service_type = "NodePort", template = { name = "my-server" } }`, []string{"milan"}, nil)
	u.haveTemplates("wireguard-client", "my-server")
	u.changes(`server_gateway = { service_type = "ClusterIP" }`, []string{"milan"}, map[string]any{port: 51840})
	u.haveTemplates("wireguard-client", "wireguard-server")
	if has := service(); has.Spec.Type != corev1.ServiceTypeClusterIP {
		t.Errorf("the Service is not inside the cluster: %+v", has)
	}
	u.changes(acctest.OverNodePort, nil, nil)
	isNodePort(u.Project)
}

func TestAccNamespacesAndKeysChangeInPlace(t *testing.T) {
	u := created(t)
	public := map[string]map[string][]byte{} // by the name of the Secret and the leaf
	for _, name := range []string{"my-keys", "other-keys"} {
		public[name] = map[string][]byte{}
		for _, leaf := range both {
			public[name][leaf] = u.lab.HaveKeys(t, leaf, name)["publicKey"]
		}
	}
	trusted := func(secret string) {
		t.Helper()
		u.changes(fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", key_secret_name = %[1]q }
			client_gateway = { key_secret_name = %[1]q }`, secret)+acctest.InDefault, both, nil)
		for at, of := range acctest.Other {
			key := fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(public[secret][of]))
			u.lab.Has(t, at, &networkingv1beta1.PublicKeyList{}, ".spec.publicKey", key)
		}
	}
	gatewaysHave := func(path, ofClient, ofServer string) {
		t.Helper()
		u.lab.Has(t, "rome", &networkingv1beta1.GatewayClientList{}, path, ofClient)
		u.lab.Has(t, "milan", &networkingv1beta1.GatewayServerList{}, path, ofServer)
	}
	liqosKeys := func(namespaces, client, server string) {
		t.Helper()
		u.changes(acctest.OverNodePort+namespaces, both,
			map[string]any{"client_namespace": client, "server_namespace": server})
		gatewaysHave(".metadata.namespace", client, server)
		gatewaysHave(".status.secretRef.name", "gw-milan", "gw-rome")
	}
	liqosKeys(acctest.InDefault, "default", "default")
	trusted("my-keys")
	trusted("other-keys")
	liqosKeys("", "liqo-tenant-milan", "liqo-tenant-rome")
	trusted("my-keys")
	liqosKeys(acctest.InDefault, "default", "default")
	trusted("my-keys")
	u.Run("destroy", "-auto-approve")
	for _, cluster := range both {
		for name := range public {
			if left := acctest.Get[corev1.Secret](t, u.lab, cluster, "default", name); len(left.Labels) > 0 {
				t.Errorf("Secret %s of %s still has labels: %v", name, cluster, left.Labels)
			}
		}
	}
}
