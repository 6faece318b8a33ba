package protocol

import (
	"testing"
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
