package ownership

import (
	"encoding/json"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The two ends of examples/separate-credentials, each with its own state and the kubeconfig of one cluster.
func TestAccTwoPeopleMakeOneEndEachAndThenOneShortcut(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	rome := lab.NewProject(t, acctest.Root+"/examples/separate-credentials/rome")
	milan := lab.NewProject(t, acctest.Root+"/examples/separate-credentials/milan")
	send := func(p *acctest.Project, name string, to *acctest.Project) { // an output, as a variable with the same name
		t.Helper()
		output := json.RawMessage(p.Run("output", "-json", name))
		variables, err := json.Marshal(map[string]json.RawMessage{name: output})
		acctest.Must(t, err)
		to.Write(name+".auto.tfvars.json", string(variables))
	}
	joining := acctest.BothLeaves + acctest.FromTo("rome_milan", "rome", "milan", "")
	joined := lab.StateIn(t, "joined", joining)
	acctest.DestroyAtLast(rome, milan)
	rome.Run("init")
	milan.Run("init")
	rome.Again() // there is nothing to create yet, but to tell
	send(rome, "rome", milan)
	milan.Again()
	send(milan, "milan", rome)
	rome.Again()
	send(rome, "rome", milan)
	milan.Again()
	lab.ComesUp(t)
	acctest.Says(t, rome.Run("apply", "-refresh-only", "-auto-approve"), `status = "Connecting" -> "Connected"`)
	acctest.Says(t, milan.Run("apply", "-refresh-only", "-auto-approve"), `status = "Connecting" -> "Connected"`)
	rome.Unchanged()
	milan.Unchanged()

	t.Log("A shortcut over the two ends is refused, and the error names them.")
	acctest.Says(t, joined.Refused("apply", "-auto-approve"),
		`A liqo_configuration for "milan" exists already on leaf "rome"`,
		"A liqo_configuration owns Configuration liqo-tenant-milan/milan",
		"A pair of leaves has either one liqo_shortcut")

	t.Log("Changes outside of Terraform are repaired, and keys are rotated.")
	lab.DeleteFromTenant(t, "rome", &networkingv1beta1.Configuration{})
	lab.DeleteFromTenant(t, "rome", &networkingv1beta1.PublicKey{})
	lab.PatchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`)
	lab.PatchInTenant(t, "milan", &networkingv1beta1.Configuration{},
		`{"spec":{"remote":{"cidr":{"pod":["10.99.0.0/16"]}}}}`)
	acctest.Says(t, rome.Again(), "2 added, 1 changed, 0 destroyed")
	acctest.Says(t, milan.Again(), acctest.InPlace)
	const gateway = `resource "liqo_gateway_server" "rome" {`
	milan.ReplaceIn("main.tf", gateway, gateway+`
		key_rotation_trigger = "second"
		allow                = [{ to = "server", protocol = "TCP", port = 5432 }]`)
	acctest.Says(t, milan.Again(), acctest.InPlace)

	t.Log("Rules of what may cross that somebody removes are restored.")
	rules := acctest.Named(&networkingv1beta1.FirewallConfiguration{}, "liqo-tenant-rome", "rome-allow")
	acctest.Must(t, lab.Client(t, "milan").Delete(t.Context(), rules))
	acctest.Says(t, milan.Again(),
		"The rules of `allow` have been edited or removed", acctest.InPlace)
	send(milan, "milan", rome)
	acctest.Says(t, rome.Again(), acctest.InPlace)
	lab.ComesUp(t)

	t.Log("Milan lets go of its end, and Rome forgets to. Somebody with both credentials imports the two ends.")
	configuration := milan.Read("main.tf")
	milan.Forget("liqo_configuration.rome", "liqo_gateway_server.rome", "liqo_public_key.rome")
	joined.Configure(joining + acctest.ImportRomeMilan)
	acctest.Says(t, joined.Again(), "1 imported, 0 added, 1 changed, 0 destroyed")
	joined.IsConnected()
	acctest.Says(t, rome.Refused("apply", "-auto-approve"), "The object has another owner now",
		`A liqo_shortcut for cluster "milan" exists already on leaf "rome"`, "liqo_gateway_client can't manage it")
	err := lab.Client(t, "milan").Get(t.Context(), client.ObjectKeyFromObject(rules), rules)
	if !apierrors.IsNotFound(err) {
		t.Errorf("the shortcut without limits still has rules: %v", err)
	}
	joined.Run("destroy", "-auto-approve")

	t.Log("The two ends are made again, and their destroy leaves nothing.")
	milan.Write("main.tf", configuration)
	rome.Again()
	milan.Again()
}

// Each of these examples needs one end only, so one project applies all of them.
func TestAccTheExamplesOfResourcesForOneEndAreAppliedTogether(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Example(t, "provider")
	add := func(name, file string) {
		t.Helper()
		p.Write(name+"-"+file, acctest.TextOf(t, "examples/resources/liqo_"+name+"/"+file))
	}
	for _, name := range []string{"configuration", "gateway_server", "gateway_client", "public_key"} {
		add(name, "resource.tf")
	}
	p.Apply()
	for _, name := range []string{"configuration", "gateway_server", "public_key"} {
		p.Run("state", "rm", "liqo_"+name+".rome")
		add(name, "import-by-string-id.tf")
	}
	acctest.Says(t, p.Again(), "3 imported, 0 added, 0 changed, 0 destroyed")
}
