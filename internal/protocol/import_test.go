package protocol

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAShortcutIsImportedByTheIDsOfItsClusters(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	found := p.query("liqo_shortcut", `leaf = "milan"`)
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
	p.importFails(romeMilan, "rome/turin", "Error: ", "turin", "with "+romeMilan)
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
