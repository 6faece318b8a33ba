package versions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
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
			isConnected := []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, test.client, test.server),
			}
			changed := func(settings string, checks ...statecheck.StateCheck) resource.TestStep {
				return resource.TestStep{
					Config: config(settings), ConfigPlanChecks: acctest.InPlace(),
					ConfigStateChecks: append(checks, isConnected...),
				}
			}
			refused := func(cluster, end, patch, text string) resource.TestStep {
				return resource.TestStep{
					PreConfig: func() { patched(cluster, end, patch) },
					Config:    config("mtu = 1350"), ExpectError: acctest.Message("The template can't be rendered", text),
				}
			}
			const rotated = "mtu = 1400\n" + `key_rotation_trigger = "spring"`
			lost := changed(rotated, lab.GatewaysHaveMTU(t, 1400))
			lost.PreConfig = func() { lab.DeleteFromTenant(t, test.server, &networkingv1beta1.GatewayServer{}) }
			kept := resource.TestStep{
				PreConfig: func() {
					patched(test.server, "Server", `{"spec":{"template":{"spec":{"service":{"spec":{"+ports":null}}}}}}`)
					patched(test.client, "Client", `{"spec":{"template":{"spec":{"paths":null}}}}`)
				},
				Config: config(rotated), PlanOnly: true,
			}
			acctest.Apply(t,
				resource.TestStep{Config: config(""), ConfigStateChecks: isConnected},
				changed("mtu = 1400", lab.GatewaysHaveMTU(t, 1400)),
				changed(rotated),
				lost,
				refused(test.server, "Server",
					`{"spec":{"template":{"spec":{"service":{"spec":{"+ports":"{{ .Spec.Endpoint.Port }}"}}}}}}`,
					"WgGatewayServerTemplate liqo/wireguard-server"),
				kept,
				refused(test.client, "Client", `{"spec":{"template":{"spec":{"paths":"{{ len .Spec.Endpoint.Paths }}"}}}}`,
					"WgGatewayClientTemplate liqo/wireguard-client"),
				kept,
				changed("mtu = 1350", lab.GatewaysHaveMTU(t, 1350)),
				resource.TestStep{ // beside the state that has it
					Config: config("mtu = 1350"), ResourceName: acctest.RomeMilan, ImportState: true,
					ImportStateId: test.client + "/" + test.server,
				},
			)
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
