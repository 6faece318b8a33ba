package versions

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

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// annotated is a patch that lets the pods of a gateway have an annotation, which a template renders.
const annotated = `{"spec":{"template":{"spec":{"deployment":{"spec":{"template":{"metadata":{
	"annotations":{"example.com/endpoint":%q}}}}}}}}}`

func TestAccAShortcutLivesWithTemplatesAndSchemasOfTheNextLiqo(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair) // the schemas and templates stay
	for _, kind := range []string{"gatewayclients.networking.liqo.io", "gatewayservers.networking.liqo.io"} {
		haveNextSchemas(t, lab, "milan", kind)
	}
	t.Run("at the server", func(t *testing.T) { livesWithNextTemplates(t, lab, "rome", "milan") })
	t.Run("at the client", func(t *testing.T) { livesWithNextTemplates(t, lab, "milan", "rome") })
	for _, kind := range []string{"gatewayclients.networking.liqo.io", "gatewayservers.networking.liqo.io"} {
		haveNextSchemas(t, lab, "rome", kind)
	}
	patchTemplates(t, lab, "rome", fmt.Sprintf(annotated, "{{ range $i, $address := .Spec.Endpoint.Addresses }}"+
		"{{ if $i }},{{ end }}{{ $address }}{{ end }} {{ gt (len .Spec.Endpoint.Addresses) 1 }} {{ .Spec.MTU }}"),
		&networkingv1beta1.WgGatewayClientTemplate{})
	patchTemplates(t, lab, "milan", fmt.Sprintf(annotated, "{{ with .Spec.Endpoint }}{{ printf \"%v\" .Port }} "+
		"{{ len .ServiceType }} {{ eq .ServiceType \"NodePort\" }}{{ end }} {{ gt .Spec.MTU 1300 }}"),
		&networkingv1beta1.WgGatewayServerTemplate{})
	t.Run("at both ends", func(t *testing.T) { livesWithNextTemplates(t, lab, "rome", "milan") })
}

// livesWithNextTemplates creates a shortcut, changes, rotates, repairs, imports and destroys it. In between, a plan
// finds a template that one end can't follow a change with, and changes nothing.
func livesWithNextTemplates(t *testing.T, l *acctest.Lab, clientName, serverName string) {
	t.Helper()
	l.KeepsInventory(t)
	config := func(settings string) string {
		return l.Contexts(acctest.Joining("rome_milan", clientName, serverName, settings))
	}
	isConnected := []statecheck.StateCheck{
		acctest.IsConnected,
		l.AsLiqoSays(t, acctest.RomeMilan, clientName, serverName),
	}
	changed := func(settings string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{
			Config: config(settings), ConfigPlanChecks: acctest.InPlace(), ConfigStateChecks: append(checks, isConnected...),
		}
	}
	refused := func(patch string, cluster string, template client.Object, text string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { patchTemplates(t, l, cluster, patch, template) },
			Config:    config("mtu = 1350"), ExpectError: acctest.Message("The template can't be rendered", text),
		}
	}
	lost := changed(`mtu = 1400`+"\n"+`key_rotation = "spring"`, l.GatewaysHaveMTU(t, 1400))
	lost.PreConfig = func() { l.DeleteFromTenant(t, serverName, &networkingv1beta1.GatewayServer{}) }
	kept := resource.TestStep{
		PreConfig: func() {
			patchTemplates(t, l, serverName, `{"spec":{"template":{"spec":{"service":{"spec":{"+ports":null}}}}}}`,
				&networkingv1beta1.WgGatewayServerTemplate{})
			patchTemplates(t, l, clientName, `{"spec":{"template":{"spec":{"paths":null}}}}`,
				&networkingv1beta1.WgGatewayClientTemplate{})
		},
		Config: config("mtu = 1400" + "\n" + `key_rotation = "spring"`), PlanOnly: true,
	}
	acctest.Apply(t,
		resource.TestStep{Config: config(""), ConfigStateChecks: isConnected},
		changed("mtu = 1400", l.GatewaysHaveMTU(t, 1400)),
		changed(`mtu = 1400`+"\n"+`key_rotation = "spring"`),
		lost,
		refused(`{"spec":{"template":{"spec":{"service":{"spec":{"+ports":"{{ .Spec.Endpoint.Port }}"}}}}}}`, serverName,
			&networkingv1beta1.WgGatewayServerTemplate{}, "WgGatewayServerTemplate liqo/wireguard-server"),
		kept,
		refused(`{"spec":{"template":{"spec":{"paths":"{{ len .Spec.Endpoint.Paths }}"}}}}`, clientName,
			&networkingv1beta1.WgGatewayClientTemplate{}, "WgGatewayClientTemplate liqo/wireguard-client"),
		kept,
		changed("mtu = 1350", l.GatewaysHaveMTU(t, 1350)),
		resource.TestStep{ // beside the state that has it
			Config: config("mtu = 1350"), ResourceName: acctest.RomeMilan, ImportState: true,
			ImportStateId: clientName + "/" + serverName,
		},
	)
}

// patchTemplates patches Liqo's own template of a kind.
func patchTemplates(t *testing.T, l *acctest.Lab, cluster, patch string, template client.Object) {
	t.Helper()
	template.SetNamespace("liqo")
	template.SetName("wireguard-server")
	if _, dials := template.(*networkingv1beta1.WgGatewayClientTemplate); dials {
		template.SetName("wireguard-client")
	}
	kind, err := apiutil.GVKForObject(template, l.Client(t, cluster).Scheme())
	if err != nil {
		t.Fatal(err)
	}
	whole := &unstructured.Unstructured{} // the answer has a template, which is no object yet
	whole.SetGroupVersionKind(kind)
	whole.SetNamespace(template.GetNamespace())
	whole.SetName(template.GetName())
	err = l.Client(t, cluster).Patch(t.Context(), whole, client.RawPatch(types.MergePatchType, []byte(patch)))
	if err != nil {
		t.Fatal(err)
	}
}
