package protocol

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

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
	r.check(err)
	config, ok := r.evaluate(blocks[0])
	server, serves := r.server("liqo").(tfprotov6.ListResourceServer)
	if !ok || !serves {
		p.t.Fatal(r.outcome.text.String())
	}
	wire := sent(config, config.Type())
	valid, err := server.ValidateListResourceConfig(p.t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: listedType, Config: wire, IncludeResourceObject: sent(cty.True, cty.Bool),
	})
	r.check(err)
	r.outcome.told("list."+listedType+".query", config, valid.Diagnostics)
	stream, err := server.ListResource(p.t.Context(),
		&tfprotov6.ListResourceRequest{TypeName: listedType, Config: wire, IncludeResource: true, Limit: 100})
	r.check(err)
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
