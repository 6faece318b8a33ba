package protocol

import (
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
