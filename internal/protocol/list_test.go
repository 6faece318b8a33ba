package protocol

import (
	"fmt"
	"slices"
	"testing"
)

func TestAQueryFindsANetworkThatAnotherProgramMadeAndItsImportChangesNothing(t *testing.T) {
	l := leavesFor(t, topology...)
	l.joinedByHand()
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
	p.configure(between("milan", overNodePort) + fmt.Sprintf(`
		import {
		  to       = liqo_shortcut.rome_milan
		  identity = { client_cluster_id = %q, server_cluster_id = %q }
		}`, shown(at(found.identity, "client_cluster_id")), shown(at(found.identity, "server_cluster_id"))))
	p.apply().does("no-op", romeMilan) // but for the import
	for attribute, listed := range found.resource.AsValueMap() {
		if attribute != "owner_id" { // an import makes a new one
			p.has(romeMilan, shown(listed), attribute)
		}
	}
}
