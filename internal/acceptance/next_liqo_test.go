package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Templates of the next Liqo ask for fields that the types of Liqo 1.2's controllers do not have, so the controllers of
// a lab can't render them. What they can render are templates that use the same functions on fields of today, and
// templates that these controllers would take and this provider must refuse.

// annotated is a patch that lets the pods of a gateway have an annotation, which a template renders.
const annotated = `{"spec":{"template":{"spec":{"deployment":{"spec":{"template":{"metadata":{
	"annotations":{"example.com/endpoint":%q}}}}}}}}}`

func TestAccAShortcutLivesWithTemplatesAndSchemasOfTheNextLiqo(t *testing.T) {
	lab := useUpLab(t, pair) // the schemas and templates stay
	for _, kind := range []string{"gatewayclients.networking.liqo.io", "gatewayservers.networking.liqo.io"} {
		lab.haveNextSchemas(t, "milan", kind)
	}
	t.Run("at the server", func(t *testing.T) { lab.livesWithNextTemplates(t, "rome", "milan") })
	t.Run("at the client", func(t *testing.T) { lab.livesWithNextTemplates(t, "milan", "rome") })
	for _, kind := range []string{"gatewayclients.networking.liqo.io", "gatewayservers.networking.liqo.io"} {
		lab.haveNextSchemas(t, "rome", kind)
	}
	lab.patchTemplates(t, "rome", fmt.Sprintf(annotated, "{{ range $i, $address := .Spec.Endpoint.Addresses }}"+
		"{{ if $i }},{{ end }}{{ $address }}{{ end }} {{ gt (len .Spec.Endpoint.Addresses) 1 }} {{ .Spec.MTU }}"),
		&networkingv1beta1.WgGatewayClientTemplate{})
	lab.patchTemplates(t, "milan", fmt.Sprintf(annotated, "{{ with .Spec.Endpoint }}{{ printf \"%v\" .Port }} "+
		"{{ len .ServiceType }} {{ eq .ServiceType \"NodePort\" }}{{ end }} {{ gt .Spec.MTU 1300 }}"),
		&networkingv1beta1.WgGatewayServerTemplate{})
	t.Run("at both ends", func(t *testing.T) { lab.livesWithNextTemplates(t, "rome", "milan") })
}

// livesWithNextTemplates creates a shortcut, changes, rotates, repairs, imports and destroys it. In between, a plan
// finds a template that one end can't follow a change with, and changes nothing.
func (l *Lab) livesWithNextTemplates(t *testing.T, clientName, serverName string) {
	t.Helper()
	l.keepsInventory(t)
	config := func(settings string) string {
		return l.contexts(fromTo(clientName, serverName, overNodePort+"\n"+settings))
	}
	isConnected := []statecheck.StateCheck{expect("status", connected), l.asLiqoSays(t, romeMilan, clientName, serverName)}
	changed := func(settings string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{
			Config: config(settings), ConfigPlanChecks: inPlace(), ConfigStateChecks: append(checks, isConnected...),
		}
	}
	refused := func(patch string, cluster string, template client.Object, text string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { l.patchTemplates(t, cluster, patch, template) },
			Config:    config("mtu = 1350"), ExpectError: message("The template can't be rendered", text),
		}
	}
	lost := changed(`mtu = 1400`+"\n"+`key_rotation = "spring"`, l.gatewaysHaveMTU(t, 1400))
	lost.PreConfig = func() { l.deleteFromTenant(t, serverName, &networkingv1beta1.GatewayServer{}) }
	kept := resource.TestStep{
		PreConfig: func() {
			l.patchTemplates(t, serverName, `{"spec":{"template":{"spec":{"service":{"spec":{"+ports":null}}}}}}`,
				&networkingv1beta1.WgGatewayServerTemplate{})
			l.patchTemplates(t, clientName, `{"spec":{"template":{"spec":{"paths":null}}}}`,
				&networkingv1beta1.WgGatewayClientTemplate{})
		},
		Config: config("mtu = 1400" + "\n" + `key_rotation = "spring"`), PlanOnly: true,
	}
	apply(t,
		resource.TestStep{Config: config(""), ConfigStateChecks: isConnected},
		changed("mtu = 1400", l.gatewaysHaveMTU(t, 1400)),
		changed(`mtu = 1400`+"\n"+`key_rotation = "spring"`),
		lost,
		refused(`{"spec":{"template":{"spec":{"service":{"spec":{"+ports":"{{ .Spec.Endpoint.Port }}"}}}}}}`, serverName,
			&networkingv1beta1.WgGatewayServerTemplate{}, "WgGatewayServerTemplate liqo/wireguard-server"),
		kept,
		refused(`{"spec":{"template":{"spec":{"paths":"{{ len .Spec.Endpoint.Paths }}"}}}}`, clientName,
			&networkingv1beta1.WgGatewayClientTemplate{}, "WgGatewayClientTemplate liqo/wireguard-client"),
		kept,
		changed("mtu = 1350", l.gatewaysHaveMTU(t, 1350)),
		resource.TestStep{ // beside the state that has it
			Config: config("mtu = 1350"), ResourceName: romeMilan, ImportState: true,
			ImportStateId: clientName + "/" + serverName,
		},
	)
}

// patchTemplates patches Liqo's own template of a kind.
func (l *Lab) patchTemplates(t *testing.T, cluster, patch string, template client.Object) {
	t.Helper()
	template.SetNamespace("liqo")
	template.SetName("wireguard-server")
	if _, dials := template.(*networkingv1beta1.WgGatewayClientTemplate); dials {
		template.SetName("wireguard-client")
	}
	kind, err := apiutil.GVKForObject(template, l.client(t, cluster).Scheme())
	if err != nil {
		t.Fatal(err)
	}
	whole := &unstructured.Unstructured{} // the answer has a template, which is no object yet
	whole.SetGroupVersionKind(kind)
	whole.SetNamespace(template.GetNamespace())
	whole.SetName(template.GetName())
	err = l.client(t, cluster).Patch(t.Context(), whole, client.RawPatch(types.MergePatchType, []byte(patch)))
	if err != nil {
		t.Fatal(err)
	}
}
