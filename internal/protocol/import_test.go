package protocol

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/zclconf/go-cty/cty"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAShortcutIsImportedByTheIDsOfItsClusters(t *testing.T) {
	_, p := applied(t, shortcut())
	found := p.query(`cluster = "milan"`)
	if len(found) != 1 || shown(at(found[0].identity, "client_cluster_id")) != "rome" {
		t.Fatalf("a query finds %v", found)
	}
	p.forget(romeMilan)

	p.configure(shortcut() + `
		import {
		  to       = liqo_shortcut.rome_milan
		  identity = { client_cluster_id = "rome", server_cluster_id = "milan" }
		}`)
	if p.apply(); t.Failed() {
		return
	}
	for attribute, expected := range map[string]string{
		"id": "rome/milan", "client": "rome", "server": "milan", "client_cluster_id": "rome", "server_cluster_id": "milan",
		"status": "Connected",
	} {
		p.has(romeMilan, expected, attribute)
	}
}

func TestAShortcutIsImportedByNamesAndIDs(t *testing.T) {
	const arn = "arn:aws:eks:eu-west-1:111122223333:cluster/"
	for name, test := range map[string]struct {
		client, server, id, wrongID string
		refusal                     []string
	}{
		"by names with slashes": {
			arn + "rome", arn + "milan", arn + "rome/" + arn + "milan", arn + "rome/turin",
			[]string{
				"Error: Invalid import ID",
				`It was "` + arn + `rome/turin". The known names are ["` + arn + `milan" "` + arn + `rome"].`,
			},
		},
		"by IDs, whatever the names": {
			"uno", "due", "rome/milan", "rome/turin",
			[]string{"Error: Unknown server", `None of the leaves "due", "uno" has the cluster ID "turin".`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := joinedByHand(t)
			p := l.project(t, l.known(map[string]string{test.client: "rome", test.server: "milan"})+
				fromTo(test.client, test.server, overNodePort))
			p.importFails(romeMilan, test.wrongID, test.refusal...)
			p.imports(romeMilan, test.id)
			p.plan().isEmpty()
			p.has(romeMilan, "Connected", "status")
		})
	}
}

// imported starts leaves with a network by hand, and imports it.
func imported(t *testing.T) (*leaves, *project) {
	t.Helper()
	l := joinedByHand(t)
	p := l.project(t, shortcut())
	p.imports(romeMilan, "rome/milan")
	return l, p
}

func TestAnInvalidImportImportsNothing(t *testing.T) {
	l := joinedByHand(t, topology...)
	p := l.project(t, shortcut())
	p.importFails(romeMilan, "milan/rome", "Error: The network has the opposite direction",
		`"rome" is the client and "milan" the server.`, "the import ID is `rome/milan`", "Nothing was imported")
	p.importFails(romeMilan, "rome/naples", "Cannot import non-existent remote object")
	l.of("milan").Stop()
	p.importFails(romeMilan, "rome/milan", `Error: The API server can't be reached on leaf "milan"`)
	l.of("milan").Start()
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()
}

func TestHalfANetworkIsImportedAndTheNextApplyCompletesIt(t *testing.T) {
	l := joinedByHand(t)
	for _, object := range []client.Object{
		&networkingv1beta1.PublicKey{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.Configuration{},
	} {
		l.lose("milan", inTenant(object, "rome"))
	}
	p := l.project(t, shortcut())
	p.imports(romeMilan, "rome/milan")
	p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "liqo-tenant-rome", "server_namespace")
	p.hasNetworks()
}

// owners returns the tokens of the requested objects, by leaf and kind.
func (l *leaves) owners() map[string]string {
	l.t.Helper()
	owners := map[string]string{}
	for what, one := range l.requested() {
		owners[what] = one.Annotations["terraform-provider-liqo/owner"]
	}
	return owners
}

// isMarked fails the test unless all objects of the network are marked as the shortcut's.
func (p *project) isMarked() {
	p.t.Helper()
	id := p.value(romeMilan, "owner_id")
	for what, owner := range p.leaves.owners() {
		if owner != id {
			p.t.Errorf("the %s is marked as that of %q, not of %s", what, owner, id)
		}
	}
}

func TestAnImportChangesNothingAndTheFirstUpdateMarksTheNetwork(t *testing.T) {
	l, p := imported(t)
	networks := l.networks()
	p.has(romeMilan, "null", "owner_id")
	p.plan().isEmpty()
	l.sameNetworks(networks)
	p.configure(shortcut("mtu = 1400")).apply().does("update", romeMilan)
	p.isMarked()
}

// If the provider is killed during an update, Terraform keeps the state from before, and drops the private state.
func TestAFirstUpdateThatWasKilledBetweenTwoMarksIsContinued(t *testing.T) {
	l, p := imported(t)
	before := p.instance(romeMilan).value
	p.configure(shortcut("mtu = 1400"))
	l.of("milan").refuses(to(http.MethodPatch, "/publickeies/rome"), "no marks on Milan")
	p.applyFails("no marks on Milan")
	p.has(romeMilan, "null", "owner_id")
	l.of("milan").Disturb(nil)
	owners := slices.Sorted(maps.Values(l.owners()))
	if owners[0] != "" || owners[len(owners)-1] == "" {
		t.Fatalf("the owners are %q", owners)
	}
	killed := p.instance(romeMilan)
	killed.value, killed.private = before, nil

	p.configure(shortcut()).apply().does("update", romeMilan)
	p.isMarked()
}

func TestAnImportedNetworkIsRemovedWithItsShortcut(t *testing.T) {
	for name, marks := range map[string]bool{"before its first update": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			l, p := imported(t)
			before := l.requested()
			if marks {
				p.configure(shortcut("mtu = 1400")).apply().does("update", romeMilan)
			}
			p.taint(romeMilan)
			p.apply().does("replace", romeMilan)
			l.areReplaced(before)
			p.forget(romeMilan)
			p.imports(romeMilan, "rome/milan")
			p.destroy()
			l.areClean()
		})
	}
}

// The other create was killed before it could record that it was complete. Nobody else may take the network then.
func TestAnImportOfWhatAKilledCreateHasLeftIsRecorded(t *testing.T) {
	l, killed := madeInFirst(t)
	token := killed.value(romeMilan, "owner_id")
	killed.forget(romeMilan)
	const notComplete = `{"metadata":{"annotations":{"terraform-provider-liqo/complete":null}}}`
	l.patch("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"), notComplete)
	l.patch("milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome"), notComplete)
	l.have("milan", &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "terraform-provider-liqo.milan.rome",
		Annotations: map[string]string{
			"terraform-provider-liqo/unfinished": `{"` + token + `":{"origin":{"directory":"first"}}}`,
		},
	}})

	p, other := l.project(t, shortcut()), l.project(t, shortcut())
	p.imports(romeMilan, "rome/milan")
	p.has(romeMilan, token, "owner_id")
	p.apply().does("update", romeMilan)
	other.planFails("Error: A shortcut with", "exists already on leaf", byFirst)
}

// listed is one result of a query.
type listed struct {
	name               string
	identity, resource cty.Value
}

// listedType is the type of what is listed.
const listedType = "liqo_shortcut"

// query is `terraform query` with one list block of shortcuts. Its `config` has these attributes. It must succeed.
func (p *project) query(attributes string) []listed {
	p.t.Helper()
	r := p.begin()
	defer r.end()
	blocks, err := parse("list \"" + listedType + "\" \"query\" {\n" + attributes + "\n}")
	must(r.t, err)
	config, ok := r.evaluate(blocks[0])
	server, serves := r.server("liqo").(tfprotov6.ListResourceServer)
	if !ok || !serves {
		p.t.Fatal(r.outcome.text.String())
	}
	wire := sent(config, config.Type())
	valid, err := server.ValidateListResourceConfig(p.t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: listedType, Config: wire, IncludeResourceObject: sent(cty.True, cty.Bool),
	})
	must(r.t, err)
	r.outcome.told("list."+listedType+".query", config, valid.Diagnostics)
	stream, err := server.ListResource(p.t.Context(),
		&tfprotov6.ListResourceRequest{TypeName: listedType, Config: wire, IncludeResource: true, Limit: 100})
	must(r.t, err)
	var found []listed
	for result := range stream.Results {
		r.outcome.told("list."+listedType+".query", config, result.Diagnostics)
		if result.Identity != nil {
			found = append(found, listed{
				result.DisplayName, received(result.Identity.IdentityData, schemaFor("identity", listedType).of),
				received(result.Resource, schemaFor("resource", listedType).of),
			})
		}
	}
	p.succeeded(r.outcome)
	return found
}

func TestAQueryFindsANetworkThatAnotherProgramMadeAndItsImportChangesNothing(t *testing.T) {
	l := joinedByHand(t, topology...)
	l.project(t, fromTo("europe", "naples", overNodePort)).apply()
	p := l.project(t, "")
	const byHand, ours = "rome → milan", "europe → naples"
	for filters, expected := range map[string][]string{
		"":                              {ours, byHand},
		`made_by = "other"`:             {byHand},
		`cluster = "naples"`:            {ours},
		`cluster = "venice"`:            nil,
		`status = "Error"`:              nil,
		`clusters = ["rome", "naples"]`: nil,
		"cluster = \"milan\"\nmade_by = \"terraform-provider-liqo\"": nil,
	} {
		t.Run(filters, func(t *testing.T) {
			var names []string
			for _, one := range p.query(filters) {
				names = append(names, one.name)
			}
			if !slices.Equal(names, expected) {
				t.Errorf("a query with %q finds %q, not %q", filters, names, expected)
			}
		})
	}

	found := p.query(`made_by = "other"`)[0]
	p.configure(shortcut() + fmt.Sprintf(`
		import {
		  to       = liqo_shortcut.rome_milan
		  identity = %s
		}`, shown(found.identity)))
	p.apply().does("no-op", romeMilan) // but for the import
	for attribute, listed := range found.resource.AsValueMap() {
		if attribute != "owner_id" { // an import makes a new one
			p.has(romeMilan, shown(listed), attribute)
		}
	}
}
