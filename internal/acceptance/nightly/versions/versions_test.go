package versions

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	// oldestLiqo is the oldest version of Liqo without a known defect.
	oldestLiqo = "v1.0.1"
	// defectiveLiqo translates addresses in a wrong way.
	defectiveLiqo = "v1.0.0"
)

// oldAndNew has the options of a lab in which Rome has the oldest Liqo, and Milan the newest one.
var oldAndNew = []string{"--cluster=rome=10.202.0.0/16,liqo=" + oldestLiqo, "--cluster=milan=10.203.0.0/16"}

func TestAccMissingObjectsAreRepairedInPlaceWithTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	lab.Repaired(t, lab.MissingObjects(t)...)
}

func TestAccTheOldestLiqoCanBeTheServerOfTheNewest(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	from := func(settings string) string {
		return lab.Contexts("data \"liqo_topology\" \"all\" {}\n" + acctest.FromTo("rome_milan", "milan", "rome", settings))
	}
	serves := func(port, more string) string {
		return from(`server_gateway = { service_type = "NodePort", node_port = ` + port + " }\n" + more)
	}
	p := lab.Applied(t, serves("31000", ""))
	p.IsConnected()
	lab.AsLiqoSays(p, acctest.RomeMilan, "milan", "rome")
	p.Is("data.liqo_topology.all", map[string]any{"nodes.1.liqo_version": oldestLiqo})
	p.Becomes(serves("31001", "mtu = 1300"), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "mtu": 1300})
	acctest.Says(t, p.Refuses(from(`server_gateway = { service_annotations = { speed = "fast" } }`)),
		"Liqo "+oldestLiqo+" on this leaf can't set labels or annotations of a gateway's Service")
	for _, change := range []struct{ network, cidr, says string }{
		{"server_network", "10.202.0.0/17", acctest.InPlace}, // the newest Liqo follows
		{"client_network", "10.203.0.0/17", acctest.Replaced},
	} {
		p.Becomes(serves("31001", fmt.Sprintf("%s = { pod_cidrs = [%q] }", change.network, change.cidr)), change.says)
		p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", change.network + ".remapped_pod_cidrs.#": 1})
		lab.AsLiqoSays(p, acctest.RomeMilan, "milan", "rome")
	}
	former := p.Values(acctest.RomeMilan)
	p.Run("state", "rm", acctest.RomeMilan)
	p.Run("import", acctest.RomeMilan, "milan/rome")
	imported := p.Values(acctest.RomeMilan)
	for _, attribute := range []string{"owner_id", "on_destroy"} { // no leaf shows them
		delete(former, attribute)
		delete(imported, attribute)
	}
	if !reflect.DeepEqual(imported, former) {
		t.Errorf("it is imported as %v, not %v", imported, former)
	}
}

func TestAccOnlyOnePodCIDRIsAnnouncedToTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	const parts = `pod_cidrs = ["10.203.0.0/17", "10.203.128.0/18"]`
	config := lab.Between("milan", acctest.OverNodePort+"\n"+`server_network = { `+parts+` }`)
	acctest.Says(t, lab.Written(t, config).Refuses(config),
		"Liqo "+oldestLiqo+" on this leaf can reach only one pod CIDR of another cluster")
}

// The shortcut is created, changed, rotated, repaired, imported and destroyed. In between, a plan finds a template that
// one end can't follow a change with, and changes nothing.
func TestAccAShortcutLivesWithTemplatesAndSchemasOfTheNextLiqo(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)         // the schemas and templates stay
	patched := func(cluster, end, patch string) { // the template that Liqo has for the gateways of an end
		t.Helper()
		lab.Patch(t, cluster, acctest.Template(end, "liqo", "wireguard-"+strings.ToLower(end)), patch)
	}
	haveNextSchemas(t, lab, "milan")
	for _, test := range []struct {
		name, client, server string
		prepare              func()
	}{
		{"at the server", "rome", "milan", func() {}},
		{"at the client", "milan", "rome", func() {}},
		{"at both ends", "rome", "milan", func() {
			haveNextSchemas(t, lab, "rome")
			// Both templates render an annotation of the pods.
			const annotated = `{"spec":{"template":{"spec":{"deployment":{"spec":{"template":{"metadata":{
				"annotations":{"example.com/endpoint":%q}}}}}}}}}`
			patched("rome", "Client", fmt.Sprintf(annotated, "{{ range $i, $address := .Spec.Endpoint.Addresses }}"+
				"{{ if $i }},{{ end }}{{ $address }}{{ end }} {{ gt (len .Spec.Endpoint.Addresses) 1 }} {{ .Spec.MTU }}"))
			patched("milan", "Server", fmt.Sprintf(annotated, "{{ with .Spec.Endpoint }}{{ printf \"%v\" .Port }} "+
				"{{ len .ServiceType }} {{ eq .ServiceType \"NodePort\" }}{{ end }} {{ gt .Spec.MTU 1300 }}"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.prepare()
			lab.KeepsInventory(t)
			config := func(settings string) string {
				return lab.Contexts(acctest.Joining("rome_milan", test.client, test.server, settings))
			}
			p := lab.Applied(t, config(""))
			changes := func(settings string, mtu int) {
				t.Helper()
				p.Becomes(config(settings), acctest.InPlace)
				p.IsConnected()
				lab.AsLiqoSays(p, acctest.RomeMilan, test.client, test.server)
				lab.GatewaysHaveMTU(t, mtu)
			}
			refuses := func(cluster, end, patch, text string) {
				t.Helper()
				patched(cluster, end, patch)
				acctest.Explains(t, p.Refuses(config("mtu = 1350")), "The template can't be rendered", text)
			}
			const rotated = "mtu = 1400\n" + `key_rotation_trigger = "spring"`
			isKept := func() {
				t.Helper()
				patched(test.server, "Server", `{"spec":{"template":{"spec":{"service":{"spec":{"+ports":null}}}}}}`)
				patched(test.client, "Client", `{"spec":{"template":{"spec":{"paths":null}}}}`)
				p.Write("main.tf", config(rotated))
				p.Unchanged()
			}
			p.IsConnected()
			lab.AsLiqoSays(p, acctest.RomeMilan, test.client, test.server)
			changes("mtu = 1400", 1400)
			changes(rotated, 1400)
			lab.DeleteFromTenant(t, test.server, &networkingv1beta1.GatewayServer{})
			changes(rotated, 1400)
			refuses(test.server, "Server",
				`{"spec":{"template":{"spec":{"service":{"spec":{"+ports":"{{ .Spec.Endpoint.Port }}"}}}}}}`,
				"WgGatewayServerTemplate liqo/wireguard-server")
			isKept()
			refuses(test.client, "Client", `{"spec":{"template":{"spec":{"paths":"{{ len .Spec.Endpoint.Paths }}"}}}}`,
				"WgGatewayClientTemplate liqo/wireguard-client")
			isKept()
			changes("mtu = 1350", 1350)
			p.Run("state", "rm", acctest.RomeMilan)
			p.Run("import", acctest.RomeMilan, test.client+"/"+test.server)
		})
	}
}

// haveNextSchemas changes the schemas of gateways like the next version of Liqo: `port` is optional and excludes
// `ports`.
func haveNextSchemas(t *testing.T, l *acctest.Lab, cluster string) {
	t.Helper()
	patch := strings.ReplaceAll(`[
		{"op": "add", "path": "SPEC/endpoint/properties/ports", "value": {"type": "array", "items": {"type": "integer"}}},
		{"op": "add", "path": "SPEC/endpoint/required", "value": []},
		{"op": "add", "path": "SPEC/endpoint/x-kubernetes-validations", "value": [
			{"rule": "!(has(self.port) && has(self.ports))", "message": "only one of them"}
		]}
	]`, "SPEC", "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties")
	for _, kind := range []string{"gatewayclients", "gatewayservers"} {
		var definition unstructured.Unstructured
		definition.SetGroupVersionKind(schema.GroupVersionKind{
			Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
		})
		definition.SetName(kind + ".networking.liqo.io")
		err := l.Client(t, cluster).Patch(t.Context(), &definition, client.RawPatch(types.JSONPatchType, []byte(patch)))
		acctest.Must(t, err)
	}
}
