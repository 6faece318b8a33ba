package protocol

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAShortcutIsImportedByTheIDsOfItsClusters(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	found := p.query(`cluster = "milan"`)
	if len(found) != 1 || shown(at(found[0].identity, "client_cluster_id")) != "rome" {
		t.Fatalf("a query finds %v", found)
	}
	p.forget(romeMilan)

	p.configure(between("milan", overNodePort) + `
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
	p.forget(romeMilan)
	p.configure(between("milan", overNodePort))
	p.importFails(romeMilan, "rome/turin", "Error: Unknown server", `has the cluster ID "turin"`)
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()
}

// namedOtherwise returns a provider block in which Rome and Milan have other names than their contexts, and a shortcut
// between them. There are no other names.
func (l *leaves) namedOtherwise(client, server string) string {
	return l.known(map[string]string{client: "rome", server: "milan"}) + fromTo(client, server, overNodePort)
}

func TestAShortcutIsImportedByNamesWithSlashes(t *testing.T) {
	const rome, milan = "arn:aws:eks:eu-west-1:111122223333:cluster/rome",
		"arn:aws:eks:eu-west-1:111122223333:cluster/milan"
	l := leavesFor(t)
	l.joinedByHand()
	p := l.project(t, l.namedOtherwise(rome, milan))
	p.importFails(romeMilan, rome+"/turin", "Error: Invalid import ID",
		`It was "`+rome+`/turin". The known names are ["`+milan+`" "`+rome+`"].`)
	p.imports(romeMilan, rome+"/"+milan)
	p.plan().isEmpty()
	p.has(romeMilan, "Connected", "status")
}

func TestAShortcutIsImportedByItsIDWhateverTheNamesOfItsLeaves(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	p := l.project(t, l.namedOtherwise("uno", "due"))
	p.importFails(romeMilan, "rome/turin", "Error: Unknown server",
		`None of the leaves "due", "uno" has the cluster ID "turin".`)
	p.imports(romeMilan, "rome/milan")
	p.plan().isEmpty()
}

func TestAnInvalidImportImportsNothing(t *testing.T) {
	l := leavesFor(t, topology...)
	l.joinedByHand()
	p := l.project(t, between("milan", overNodePort))
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
	l := leavesFor(t)
	l.joinedByHand()
	for _, object := range []client.Object{
		&networkingv1beta1.PublicKey{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.Configuration{},
	} {
		l.lose("milan", inTenant(object, "rome"))
	}
	p := l.project(t, between("milan", overNodePort))
	p.imports(romeMilan, "rome/milan")
	p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "liqo-tenant-rome", "server_namespace")
	p.has(romeMilan, l.network("milan", "rome"), "client_network")
	p.has(romeMilan, l.network("rome", "milan"), "server_network")
}

func TestAResourceOfOneEndIsImported(t *testing.T) {
	const configuration = "liqo_configuration.milan"
	l := leavesFor(t)
	l.joinedByHand()
	p := l.project(t, `
		resource "liqo_configuration" "milan" {
		  cluster           = "rome"
		  remote_cluster_id = "milan"
		  pod_cidrs         = ["10.203.0.0/16"]
		  external_cidr     = "192.168.1.0/24"
		}`)
	p.importFails(configuration, "rome/turin", "Cannot import non-existent remote object")
	p.imports(configuration, "rome/milan")
	p.has(configuration, "liqo-tenant-milan", "namespace")
	p.plan().isEmpty()
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
	l := leavesFor(t)
	l.joinedByHand()
	networks := l.networks()
	p := l.project(t, between("milan", overNodePort))
	p.imports(romeMilan, "rome/milan")
	p.has(romeMilan, "null", "owner_id")
	p.plan().isEmpty()
	l.sameNetworks(networks)
	p.configure(between("milan", overNodePort+"\nmtu = 1400"))
	p.apply().does("update", romeMilan)
	p.isMarked()
	p.plan().isEmpty()
}

// If the provider is killed during an update, Terraform keeps the state from before, and drops the private state.
func TestAFirstUpdateThatWasKilledBetweenTwoMarksIsContinued(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	p := l.project(t, between("milan", overNodePort))
	p.imports(romeMilan, "rome/milan")
	before := p.instance(romeMilan).value
	p.configure(between("milan", overNodePort+"\nmtu = 1400"))
	l.of("milan").Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/publickeies/rome") {
			return false
		}
		clustertest.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, "no marks on Milan")
		return true
	})
	p.applyFails("no marks on Milan")
	p.has(romeMilan, "null", "owner_id")
	l.of("milan").Disturb(nil)
	owners := slices.Sorted(maps.Values(l.owners()))
	if owners[0] != "" || owners[len(owners)-1] == "" {
		t.Fatalf("the owners are %q", owners)
	}
	killed := p.instance(romeMilan)
	killed.value, killed.private = before, nil

	p.configure(between("milan", overNodePort))
	p.apply().does("update", romeMilan)
	p.isMarked()
	p.plan().isEmpty()
}

func TestAnImportedNetworkIsRemovedWithItsShortcut(t *testing.T) {
	for name, marks := range map[string]bool{"before its first update": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			l.joinedByHand()
			networks := l.networks()
			settings := overNodePort
			p := l.project(t, between("milan", settings))
			p.imports(romeMilan, "rome/milan")
			if marks {
				settings += "\nmtu = 1400"
				p.configure(between("milan", settings))
				p.apply().does("update", romeMilan)
			}
			p.taint(romeMilan)
			p.apply().does("replace", romeMilan)
			p.has(romeMilan, "Connected", "status")
			for what, one := range l.networks() {
				if uid, _, _ := strings.Cut(networks[what], " "); strings.HasPrefix(one, uid) {
					t.Errorf("the %s was not replaced", what)
				}
			}
			p.forget(romeMilan)
			p.imports(romeMilan, "rome/milan")
			p.destroy()
			if left := l.requested(); len(left) > 0 {
				t.Errorf("the destroy has left %v", left)
			}
		})
	}
}

// The other create was killed before it could record that it was complete. Nobody else may take the network then.
func TestAnImportOfWhatAKilledCreateHasLeftIsRecorded(t *testing.T) {
	l := leavesFor(t)
	killed := l.project(t, between("milan", overNodePort))
	killed.apply()
	l.madeInFirst()
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

	p, other := l.project(t, between("milan", overNodePort)), l.project(t, between("milan", overNodePort))
	p.imports(romeMilan, "rome/milan")
	p.has(romeMilan, token, "owner_id")
	p.apply().does("update", romeMilan)
	p.plan().isEmpty()
	other.planFails("Error: A shortcut with", "exists already on leaf", madeInFirst)
}
