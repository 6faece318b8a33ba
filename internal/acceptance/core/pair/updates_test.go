package pair

import (
	"encoding/base64"
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

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
	u.lab.CopyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "my-server")
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

func TestAccTheClientsGatewayChangesInPlace(t *testing.T) {
	u := created(t)
	u.lab.CopyTemplate(t, "rome", "WgGatewayClientTemplate", "wireguard-client", "my-client")
	const fixed = `server_gateway = { service_type = "NodePort", node_port = 31011 }` + "\n"
	dialled := u.lab.NodeAddress(t, "milan")
	u.changes(fixed, nil, nil)
	// The gateway dials this address and port already, so there is nothing to change. Then the port is the server's own.
	u.changes(fixed+fmt.Sprintf(`client_gateway = { server_address = %q, server_port = 31011 }`, dialled), nil, nil)
	u.changes(fixed+fmt.Sprintf(`client_gateway = { server_address = %q }`, dialled), nil, nil)
	u.changes(fixed+`client_gateway = {
		template = {
		  name      = "my-client"
		  namespace = "liqo"
		  resource  = "networking.liqo.io/v1beta1/wggatewayclienttemplates"
		}
	}`, []string{"rome"}, nil)
	u.haveTemplates("my-client", "wireguard-server")
	u.changes(fixed, []string{"rome"}, nil)
	u.haveTemplates("wireguard-client", "wireguard-server")
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
		for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
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

func TestAccOtherSettingsChangeWithoutTouchingTheGateways(t *testing.T) {
	u := created(t)
	ranges := func(settings, ofRome, ofMilan string) {
		t.Helper()
		u.changes(acctest.OverNodePort+settings, nil, nil)
		u.KeepsPodCIDR(acctest.RomeMilan, "client_network", ofRome)
		u.KeepsPodCIDR(acctest.RomeMilan, "server_network", ofMilan)
		u.lab.AsLiqoSays(u.Project, acctest.RomeMilan, "rome", "milan")
	}
	ranges(`
		server_network = { pod_cidrs = ["10.203.128.0/17"], external_cidr = "10.70.0.0/17" }`,
		"10.202.0.0/16", "10.203.128.0/17")
	ranges(`
		client_network = { pod_cidrs = ["10.202.64.0/18"] }
		cidr_remapping = "forbid"`, "10.202.64.0/18", "10.203.0.0/16")
	ranges("", "10.202.0.0/16", "10.203.0.0/16")
	for _, setting := range []string{
		`cidr_remapping = "forbid"`, "wait_for_connection = false", `on_destroy = "disconnect"`,
		"abandon_lost_cluster = true", "destroy_peering_network = true",
		`timeouts = { create = "3m", read = "3m", update = "3m", delete = "3m" }`,
	} {
		u.changes(acctest.OverNodePort+"\n"+setting, nil, nil)
	}
}
