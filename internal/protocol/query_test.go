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

// query is `terraform query` with one list block of a type. Its `config` has these attributes. It must succeed.
func (p *project) query(typeName, attributes string) []listed {
	p.t.Helper()
	r := p.begin()
	defer r.end()
	blocks, err := parse("list \"" + typeName + "\" \"query\" {\n" + attributes + "\n}")
	r.must(err)
	config, ok := r.evaluate(blocks[0])
	server, serves := r.server("liqo").(tfprotov6.ListResourceServer)
	if !ok || !serves {
		p.t.Fatal(r.outcome.text.String())
	}
	wire := sent(config, config.Type())
	valid, err := server.ValidateListResourceConfig(p.t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: typeName, Config: wire, IncludeResourceObject: sent(cty.True, cty.Bool),
	})
	r.must(err)
	r.outcome.told("list."+typeName+".query", config, valid.Diagnostics)
	stream, err := server.ListResource(p.t.Context(),
		&tfprotov6.ListResourceRequest{TypeName: typeName, Config: wire, IncludeResource: true, Limit: 100})
	r.must(err)
	var found []listed
	for result := range stream.Results {
		r.outcome.told("list."+typeName+".query", config, result.Diagnostics)
		if result.Identity != nil {
			found = append(found, listed{
				result.DisplayName, received(result.Identity.IdentityData, schemaFor("identity", typeName).of),
				received(result.Resource, schemaFor("resource", typeName).of),
			})
		}
	}
	p.succeeded(r.outcome)
	return found
}
