package acceptance

import (
	"fmt"
	"maps"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// Import by identity needs Terraform 1.12 or OpenTofu 1.12, and the tests also run on older ones. So this test uses the
// protocol of the provider directly.
func TestAccAShortcutIsImportedByTheIDsOfItsClusters(t *testing.T) {
	lab := borrowLab(t)
	apply(t, resource.TestStep{Config: lab.contexts(shortcutRomeMilan), Check: func(*terraform.State) error {
		liqo := lab.startProvider(t)
		imported := liqo.importByIdentity(map[string]string{"client_cluster_id": "rome", "server_cluster_id": "milan"})
		state := liqo.read(imported)
		for attribute, expected := range map[string]string{
			"id": "rome/milan", "client": "rome", "server": "milan", "client_cluster_id": "rome", "server_cluster_id": "milan",
			"status": "Connected",
		} {
			if got := liqo.text(state.NewState, attribute); got != expected {
				t.Errorf("%s is %q, expected %q", attribute, got, expected)
			}
		}
		if planned := liqo.planned(state); !planned.Equal(liqo.value(state.NewState)) {
			t.Errorf("the plan after the import is not empty: %v", planned)
		}
		return nil
	}})
}

// namedOtherwise returns a provider block in which Rome and Milan have other names than their contexts, and a shortcut
// between them. There are no other names.
func (l *Lab) namedOtherwise(client, server string) string {
	return l.known(map[string]string{client: entry("rome"), server: entry("milan")}) + fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client         = %q
		  server         = %q
		  server_gateway = { service_type = "NodePort" }
		}`, client, server)
}

// importing returns a step that imports a shortcut. With a message, the import must fail.
func importing(config, id string, refusal *regexp.Regexp) resource.TestStep {
	return resource.TestStep{
		Config: config, ResourceName: romeMilan, ImportState: true, ImportStateId: id, ImportStatePersist: refusal == nil,
		ExpectError: refusal,
	}
}

// changesNothing returns a step with an empty plan, on a shortcut that works.
func changesNothing(config string) resource.TestStep {
	return resource.TestStep{
		Config:            config,
		ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
	}
}

func TestAccAShortcutIsImportedByNamesWithSlashes(t *testing.T) {
	lab := borrowLab(t)
	const rome, milan = "arn:aws:eks:eu-west-1:111122223333:cluster/rome",
		"arn:aws:eks:eu-west-1:111122223333:cluster/milan"
	config := lab.namedOtherwise(rome, milan)
	refused := importing(config, rome+"/turin", message("Invalid import ID",
		`…It was "`+rome+`/turin". The known names are ["`+milan+`" "`+rome+`"].`))
	refused.PreConfig = lab.joinByHand(t, "rome", "milan")
	apply(t, refused, importing(config, rome+"/"+milan, nil), changesNothing(config))
}

func TestAccAShortcutIsImportedByItsIDWhateverTheNamesOfItsLeaves(t *testing.T) {
	lab := borrowLab(t)
	config := lab.namedOtherwise("uno", "due")
	refused := importing(
		config, "rome/turin", message("Unknown server", `None of the leaves "due", "uno" has the cluster ID "turin".`),
	)
	refused.PreConfig = lab.joinByHand(t, "rome", "milan")
	apply(t, refused, importing(config, "rome/milan", nil), changesNothing(config))
}

func TestAccAnInvalidImportImportsNothing(t *testing.T) {
	lab := borrowTopology(t)
	config := lab.contexts(shortcutRomeMilan)
	turned := importing(config, "milan/rome", message("The network has the opposite direction",
		`"rome" is the client and "milan" the server. So the import ID is `+
			"`rome/milan`, or by cluster IDs `rome/milan`. Nothing was imported"))
	turned.PreConfig = lab.joinByHand(t, "rome", "milan")
	silent := importing(config, "rome/milan", message(`The API server can't be reached on leaf "milan"`))
	silent.PreConfig = func() { lab.command(t, "stop-apiserver", "milan") }
	found := importing(config, "rome/milan", nil)
	found.PreConfig = func() { lab.command(t, "start-apiserver", "milan") }
	apply(
		t, turned, importing(config, "rome/naples", message("Cannot import non-existent remote object")), silent, found,
		changesNothing(config),
	)
}

func TestAccHalfANetworkIsImportedAndTheNextApplyCompletesIt(t *testing.T) {
	lab := borrowLab(t)
	half := importing(lab.contexts(shortcutRomeMilan), "rome/milan", nil)
	half.PreConfig = func() {
		lab.joinByHand(t, "rome", "milan")()
		for _, kind := range []client.Object{
			&networkingv1beta1.PublicKey{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.Configuration{},
		} {
			lab.deleteFromTenant(t, "milan", kind)
		}
	}
	apply(t, half,
		resource.TestStep{
			Config: lab.contexts(shortcutRomeMilan), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")),
				lab.asLiqoSays(t, romeMilan, "rome", "milan"),
			},
		},
	)
}

// direct is the provider of this process, configured for the lab's clusters. It is called without Terraform.
type direct struct {
	t        *testing.T
	lab      *Lab
	server   tfprotov6.ProviderServer
	shortcut tftypes.Object
	identity tftypes.Object
}

func (l *Lab) startProvider(t *testing.T) *direct {
	t.Helper()
	liqo := provider.New("test")
	t.Cleanup(liqo.Close)
	d := &direct{t: t, lab: l, server: providerserver.NewProtocol6(liqo)()}
	schemas, err := d.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	d.must(err, schemas.Diagnostics)
	identities, err := d.server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	d.must(err, identities.Diagnostics)
	d.shortcut = object(t, schemas.ResourceSchemas["liqo_shortcut"].ValueType())
	d.identity = object(t, identities.IdentitySchemas["liqo_shortcut"].ValueType())
	block := object(t, schemas.Provider.ValueType())
	configured, err := d.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: d.dynamic(block, map[string]tftypes.Value{"config_path": tftypes.NewValue(tftypes.String, l.Kubeconfig)}),
	})
	d.must(err, configured.Diagnostics)
	return d
}

func (d *direct) importByIdentity(identity map[string]string) *tfprotov6.ImportedResource {
	d.t.Helper()
	values := map[string]tftypes.Value{}
	for name, text := range identity {
		values[name] = tftypes.NewValue(tftypes.String, text)
	}
	response, err := d.server.ImportResourceState(d.t.Context(), &tfprotov6.ImportResourceStateRequest{
		TypeName: "liqo_shortcut", Identity: &tfprotov6.ResourceIdentityData{IdentityData: d.dynamic(d.identity, values)},
	})
	d.must(err, response.Diagnostics)
	if len(response.ImportedResources) != 1 {
		d.t.Fatalf("%d resources were imported", len(response.ImportedResources))
	}
	return response.ImportedResources[0]
}

func (d *direct) read(imported *tfprotov6.ImportedResource) *tfprotov6.ReadResourceResponse {
	d.t.Helper()
	response, err := d.server.ReadResource(d.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "liqo_shortcut", CurrentState: imported.State, Private: imported.Private,
		CurrentIdentity: imported.Identity,
	})
	d.must(err, response.Diagnostics)
	return response
}

// planned returns the plan of a configuration with the two leaves and their service type, as in [shortcutRomeMilan].
func (d *direct) planned(state *tfprotov6.ReadResourceResponse) tftypes.Value {
	d.t.Helper()
	gateway := object(d.t, d.shortcut.AttributeTypes["server_gateway"])
	config := d.dynamic(d.shortcut, map[string]tftypes.Value{
		"client": tftypes.NewValue(tftypes.String, "rome"), "server": tftypes.NewValue(tftypes.String, "milan"),
		"server_gateway": tftypes.NewValue(gateway, filled(gateway, map[string]tftypes.Value{
			"service_type": tftypes.NewValue(tftypes.String, "NodePort"),
		})),
	})
	response, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "liqo_shortcut", PriorState: state.NewState, ProposedNewState: state.NewState, Config: config,
		PriorPrivate:  state.Private,
		PriorIdentity: state.NewIdentity,
	})
	d.must(err, response.Diagnostics)
	return d.value(response.PlannedState)
}

// value returns a liqo_shortcut in the format of the protocol.
func (d *direct) value(wire *tfprotov6.DynamicValue) tftypes.Value {
	d.t.Helper()
	value, err := wire.Unmarshal(d.shortcut)
	if err != nil {
		d.t.Fatal(err)
	}
	return value
}

// attributes returns the attributes of a liqo_shortcut by their names.
func (d *direct) attributes(wire *tfprotov6.DynamicValue) map[string]tftypes.Value {
	d.t.Helper()
	attributes := map[string]tftypes.Value{}
	if err := d.value(wire).As(&attributes); err != nil {
		d.t.Fatal(err)
	}
	return attributes
}

// text returns one attribute as text.
func (d *direct) text(wire *tfprotov6.DynamicValue, attribute string) string {
	d.t.Helper()
	var text string
	if err := d.attributes(wire)[attribute].As(&text); err != nil {
		d.t.Fatal(err)
	}
	return text
}

// dynamic returns an object with these attributes in the format of the protocol. The others are null.
func (d *direct) dynamic(kind tftypes.Object, values map[string]tftypes.Value) *tfprotov6.DynamicValue {
	d.t.Helper()
	wire, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, filled(kind, values)))
	if err != nil {
		d.t.Fatal(err)
	}
	return &wire
}

func (d *direct) must(err error, diagnostics []*tfprotov6.Diagnostic) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, diagnostic := range diagnostics {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			d.t.Fatalf("%s: %s", diagnostic.Summary, diagnostic.Detail)
		}
	}
}

// filled returns the values of all attributes. Those that are not given are null.
func filled(kind tftypes.Object, values map[string]tftypes.Value) map[string]tftypes.Value {
	all := map[string]tftypes.Value{}
	for name, attribute := range kind.AttributeTypes {
		all[name] = tftypes.NewValue(attribute, nil)
	}
	maps.Copy(all, values)
	return all
}

func object(t *testing.T, kind tftypes.Type) tftypes.Object {
	t.Helper()
	object, ok := kind.(tftypes.Object)
	if !ok {
		t.Fatalf("%v is not an object", kind)
	}
	return object
}
