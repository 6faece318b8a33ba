package versions

import (
	"fmt"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The shortcut is created, changed, rotated, repaired, imported and destroyed. In between, a plan finds a template that
// one end can't follow a change with, and changes nothing.
func TestAccAShortcutLivesWithTemplatesAndSchemasOfTheNextLiqo(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)         // the schemas and templates stay
	patched := func(cluster, end, patch string) { // the template that Liqo has for the gateways of an end
		t.Helper()
		template := &unstructured.Unstructured{} // the answer has a template, which is no object yet
		template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind("WgGateway" + end + "Template"))
		template.SetNamespace("liqo")
		template.SetName("wireguard-" + strings.ToLower(end))
		err := lab.Client(t, cluster).Patch(t.Context(), template, client.RawPatch(types.MergePatchType, []byte(patch)))
		acctest.Must(t, err)
	}
	haveNextSchemas(t, lab, "milan", "gatewayclients", "gatewayservers")
	for _, test := range []struct {
		name, client, server string
		prepare              func()
	}{
		{"at the server", "rome", "milan", func() {}},
		{"at the client", "milan", "rome", func() {}},
		{"at both ends", "rome", "milan", func() {
			haveNextSchemas(t, lab, "rome", "gatewayclients", "gatewayservers")
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

// haveNextSchemas changes the schemas of some kinds of gateways like the next version of Liqo: `port` is optional and
// excludes `ports`.
func haveNextSchemas(t *testing.T, l *acctest.Lab, cluster string, kinds ...string) {
	t.Helper()
	patch := strings.ReplaceAll(`[
		{"op": "add", "path": "SPEC/endpoint/properties/ports", "value": {"type": "array", "items": {"type": "integer"}}},
		{"op": "add", "path": "SPEC/endpoint/required", "value": []},
		{"op": "add", "path": "SPEC/endpoint/x-kubernetes-validations", "value": [
			{"rule": "!(has(self.port) && has(self.ports))", "message": "only one of them"}
		]}
	]`, "SPEC", "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties")
	for _, kind := range kinds {
		var definition unstructured.Unstructured
		definition.SetGroupVersionKind(schema.GroupVersionKind{
			Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
		})
		definition.SetName(kind + ".networking.liqo.io")
		err := l.Client(t, cluster).Patch(t.Context(), &definition, client.RawPatch(types.JSONPatchType, []byte(patch)))
		acctest.Must(t, err)
	}
}
