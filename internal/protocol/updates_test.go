package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

func TestEverySettingChangesInPlace(t *testing.T) {
	l := leavesFor(t)
	l.copyTemplate("milan", networkingv1beta1.WgGatewayServerTemplateKind, "wireguard-server")
	l.copyTemplate("rome", networkingv1beta1.WgGatewayClientTemplateKind, "wireguard-client")
	for _, name := range []string{"rome", "milan"} {
		l.have(name, keysNamed(t, "my-keys"))
	}
	now := settings{"server_gateway.service_type": `"NodePort"`}
	p := l.project(t, between("milan", now.text()))
	p.apply()

	const (
		client, server = "rome GatewayClient", "milan GatewayServer"
		// The other end gets the key of another gateway.
		newClient    = "milan PublicKey, new rome GatewayClient, new rome PublicKey"
		newServer    = "new milan GatewayServer, new milan PublicKey, rome PublicKey"
		newClientEnd = "milan PublicKey, new rome Configuration, new rome GatewayClient, new rome PublicKey"
		newServerEnd = "new milan Configuration, new milan GatewayServer, new milan PublicKey, rome PublicKey"
	)
	// All other changes of the GatewayServer can give it another address or port.
	staying := []string{
		"mtu", "pods", "server_gateway.pods", "server_gateway.service_annotations", "server_gateway.service_labels",
	}
	tested := map[string]bool{}
	for _, update := range []struct {
		setting, value string // without a value, it is removed
		changes        string // of the requested objects
	}{
		// From here on, the client does not follow the server: in a fleet, no Service says where to.
		{"client_gateway.server_address", `"192.0.2.20"`, client},
		{"client_gateway.server_port", "51901", client},
		{"server_gateway.node_port", "31010", server},
		{"server_gateway.service_annotations", `{ "example.com/speed" = "fast" }`, server},
		{"server_gateway.service_labels", `{ team = "network" }`, server},
		{"server_gateway.port", "51900", server},
		{"server_gateway.node_port", "", server},
		{"server_gateway.service_type", `"LoadBalancer"`, server},
		{"server_gateway.load_balancer_ip", `"192.0.2.10"`, server},
		{"server_gateway.load_balancer_ip", "", server},
		{"server_gateway.service_type", `"ClusterIP"`, server},
		{"mtu", "1400", server + ", " + client},
		{"client_gateway.pods", "{ replicas = 1 }", client},
		{"server_gateway.pods", `{ annotations = { "example.com/speed" = "fast" } }`, server},
		{"client_network.pod_cidrs", `["10.202.64.0/18"]`, "milan Configuration"},
		{"client_network.external_cidr", `"192.168.0.0/25"`, "milan Configuration"},
		{"server_network.pod_cidrs", `["10.203.128.0/17"]`, "rome Configuration"},
		{"server_network.external_cidr", `"192.168.1.0/25"`, "rome Configuration"},
		{"client_gateway.template", `{ name = "copy" }`, newClient},
		{"server_gateway.template", `{ name = "copy" }`, newServer},
		{"client_namespace", `"default"`, newClientEnd},
		{"server_namespace", `"default"`, newServerEnd},
		{"client_gateway.key_secret_name", `"my-keys"`, newClient},
		{"client_gateway.key_secret_name", "", newClient},
		{"server_gateway.key_secret_name", `"my-keys"`, newServer},
		{"server_gateway.key_secret_name", "", newServer},
		{"client_gateway.pods", "", client},
		{"server_gateway.pods", "", server},
		{"pods", "{ replicas = 1 }", server + ", " + client},
		{"pods", "", server + ", " + client},
		{"key_rotation_trigger", `"first"`, "milan PublicKey, rome PublicKey"},
		{"allow", `[{ to = "server", protocol = "ICMP" }]`, ""}, // its rules are objects of their own
		{"allow", "[]", ""},
		{"allow", "", ""},
		{"cidr_remapping", `"forbid"`, ""},
		{"wait_for_connection", "false", ""},
		{"on_destroy", `"disconnect"`, ""},
		{"abandon_lost_cluster", "true", ""},
		{"destroy_peering_network", "true", ""},
		{"timeouts", `{ create = "3m" }`, ""},
	} {
		tested[update.setting] = true
		if now[update.setting] = update.value; update.value == "" {
			delete(now, update.setting)
		}
		p.configure(between("milan", now.text()))
		before := l.requested()
		applied := p.apply()
		applied.does("update", romeMilan)
		moves := strings.Contains(update.changes, server) && !slices.Contains(staying, update.setting)
		if endpoint := at(applied.change(romeMilan).planned, "server_endpoint"); endpoint.IsWhollyKnown() == moves {
			t.Errorf("%s = %s plans the endpoint %s", update.setting, update.value, shown(endpoint))
		}
		if changes := differing(before, l.requested()); changes != update.changes {
			t.Errorf("%s = %s has changed %q, not %q", update.setting, update.value, changes, update.changes)
		}
		p.hasNetworks()
	}
	for _, setting := range everySetting() {
		if block, _, _ := strings.Cut(setting, "."); !tested[setting] && !tested[block] {
			t.Errorf("no update changes %s", setting)
		}
	}
}

func TestAPlanDoesNotChangeAGatewayOfAnotherTechnology(t *testing.T) {
	const refused, notWireGuards = `Error: Changes are not supported for the technology of this gateway on leaf "milan"`,
		`{"status":{"serverRef":{"apiVersion":"v1","kind":"ConfigMap","namespace":"liqo-tenant-rome","name":"rome"}}}`
	l := leavesFor(t)
	for name, resource := range havingMilansGateway {
		t.Run(name, func(t *testing.T) {
			p := l.project(t, resource.with())
			p.apply()
			l.patchStatus("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"), notWireGuards)
			p.plan().isEmpty()
			p.configure(resource.with("allow = []")).apply().does("update", resource.address)
			p.configure(resource.with("mtu = 1400")).planFails(refused, "with "+resource.address+",", "template",
				"GatewayServer liqo-tenant-rome/rome", "`terraform taint ADDRESS`")
			p.taint(resource.address)
			p.apply().does("replace", resource.address)
			p.has(resource.address, "1400", "mtu")
			p.destroy()
		})
	}
}

// everySetting returns the names of all settings of a shortcut but its leaves, as [settings] has them.
func everySetting() []string {
	var all []string
	for _, a := range schemaFor("resource", "liqo_shortcut").attributes {
		switch {
		case a.Optional && a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle &&
			a.Name != "timeouts":
			for _, inner := range a.NestedType.Attributes {
				if inner.Optional {
					all = append(all, a.Name+"."+inner.Name)
				}
			}
		case a.Optional:
			all = append(all, a.Name)
		}
	}
	return all
}

// settings are those of a shortcut, by the names of their attributes.
type settings map[string]string

// text returns the settings as a configuration has them.
func (s settings) text() string {
	var text strings.Builder
	blocks := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if block, attribute, ok := strings.Cut(name, "."); ok {
			blocks[block] += fmt.Sprintf("%s = %s\n", attribute, s[name])
		} else {
			fmt.Fprintf(&text, "%s = %s\n", name, s[name])
		}
	}
	for block, attributes := range blocks {
		fmt.Fprintf(&text, "%s = {\n%s}\n", block, attributes)
	}
	return text.String()
}

// requested are the objects that the provider requests of Liqo, by leaf and kind.
func (l *leaves) requested() map[string]metav1.PartialObjectMetadata {
	l.t.Helper()
	found := map[string]metav1.PartialObjectMetadata{}
	for _, kind := range []string{
		networkingv1beta1.ConfigurationKind, networkingv1beta1.GatewayServerKind, networkingv1beta1.GatewayClientKind,
		networkingv1beta1.PublicKeyKind,
	} {
		for name, leaf := range l.all {
			list := &metav1.PartialObjectMetadataList{}
			list.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
			must(l.t, leaf.List(l.t.Context(), list))
			for _, one := range list.Items {
				found[name+" "+kind] = one
			}
		}
	}
	return found
}

// differing returns the objects that are others than before, and those that are the same but have changed.
func differing(before, now map[string]metav1.PartialObjectMetadata) string {
	var found []string
	for what, one := range now {
		switch former := before[what]; {
		case former.UID != one.UID:
			found = append(found, "new "+what)
		case former.Generation != one.Generation:
			found = append(found, what)
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

// keysNamed returns a Secret in namespace default with new keys for a gateway.
func keysNamed(t *testing.T, name string) *corev1.Secret {
	t.Helper()
	keys, err := reactions.Keys(metav1.ObjectMeta{Namespace: "default", Name: name})
	must(t, err)
	return keys
}

// copyTemplate copies one of Liqo's templates on a leaf, without some fields wherever they are.
func (l *leaves) copyTemplate(name, kind, from string, without ...string) {
	l.t.Helper()
	template := read(l, name, templateOf(kind, "liqo", from))
	for _, field := range without {
		removeField(template.Object, field)
	}
	template.SetName("copy")
	template.SetResourceVersion("")
	template.SetUID("")
	l.have(name, template)
}

// removeField removes every field with this name.
func removeField(value any, field string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removeField(element, field)
		}
	case map[string]any:
		delete(value, field)
		for _, element := range value {
			removeField(element, field)
		}
	}
}
