package protocol

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// run is one walk through a project, as Terraform plans or applies. It has a provider for each provider block.
type run struct {
	*project

	outcome  *outcome
	state    state
	planning bool
	destroy  bool

	providers []*provider.Provider
	servers   map[string]tfprotov6.ProviderServer // by the addresses of their blocks; nil if one can't be configured
	values    map[string]cty.Value                // of everything that is known so far, by address
	read      map[string]cty.Value                // those of data sources
	visited   map[string]bool
}

// begin starts a walk with a copy of the project's state.
func (p *project) begin() *run {
	r := &run{
		project: p, outcome: &outcome{t: p.t}, servers: map[string]tfprotov6.ProviderServer{},
		values: map[string]cty.Value{}, read: map[string]cty.Value{}, visited: map[string]bool{},
	}
	for _, one := range p.state {
		copied := *one
		r.state = append(r.state, &copied)
	}
	return r
}

// end ends the providers.
func (r *run) end() {
	for _, one := range r.providers {
		one.Close()
	}
}

// validate lets the provider look at all blocks while nothing else is known, as Terraform does before anything else.
func (r *run) validate() {
	scope := map[string]cty.Value{}
	for _, b := range r.config {
		switch b.kind {
		case "resource", "data":
			scope[b.address] = cty.UnknownVal(schemaFor(b.kind, b.typeName).of)
		case "variable":
			scope["var."+b.address] = cty.DynamicVal
		}
	}
	for name := range r.variables {
		scope["var."+name] = cty.UnknownVal(r.variables[name].value.Type())
	}
	for _, b := range r.config.of("provider", "resource", "data") {
		if config, err := b.evaluate(schemaFor(b.kind, b.typeName), scope); err != nil {
			r.outcome.fail(b.address, err)
		} else {
			r.valid(unconfigured(), b, config)
		}
	}
}

// valid asks the provider whether a block is valid.
func (r *run) valid(server tfprotov6.ProviderServer, b *block, config cty.Value) bool {
	wire := sent(config, config.Type())
	var said []*tfprotov6.Diagnostic
	switch b.kind {
	case "provider":
		said = ask(r, server.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: wire}).Diagnostics
	case "resource":
		said = ask(r, server.ValidateResourceConfig,
			&tfprotov6.ValidateResourceConfigRequest{TypeName: b.typeName, Config: wire}).Diagnostics
	case "data":
		said = ask(r, server.ValidateDataResourceConfig,
			&tfprotov6.ValidateDataResourceConfigRequest{TypeName: b.typeName, Config: wire}).Diagnostics
	}
	return !r.outcome.told(b.shownAddress(), config, said)
}

// ask sends the provider a request, and returns its answer.
func ask[Request, Answer any](
	r *run, send func(context.Context, *Request) (*Answer, error), request *Request,
) *Answer {
	r.t.Helper()
	answer, err := send(r.t.Context(), request)
	must(r.t, err)
	return answer
}

// shownAddress is the address in Terraform's output.
func (b *block) shownAddress() string {
	if b.kind == "provider" {
		return `provider["registry.terraform.io/leafmesh/liqo"]`
	}
	return b.address
}

// evaluate returns the value of a block. What it refers to is visited first. It reports false if that fails.
func (r *run) evaluate(b *block) (cty.Value, bool) {
	for _, address := range append(b.references(), b.dependsOn...) {
		if other := r.config.find(address); other != nil {
			r.visit(other)
		}
	}
	scope := maps.Clone(r.values)
	for name, v := range r.variables {
		scope["var."+name] = v.value
		if v.late && r.planning {
			scope["var."+name] = cty.UnknownVal(v.value.Type())
		}
	}
	for _, b := range r.config.of("variable") {
		if _, ok := scope["var."+b.address]; !ok && b.values["default"] != nil {
			value, _ := b.values["default"].Expr.Value(nil)
			scope["var."+b.address] = value
		}
	}
	for _, address := range b.references() {
		if other := r.config.find(address); other != nil && other.kind != "variable" && r.values[address] == cty.NilVal {
			return cty.NilVal, false // it has failed
		}
	}
	config, err := b.evaluate(schemaFor(b.kind, b.typeName), scope)
	if err != nil {
		r.outcome.fail(b.address, err)
	}
	return config, err == nil
}

// server returns the provider of a provider block, which it configures when it is needed first. It returns nil if that
// fails.
func (r *run) server(address string) tfprotov6.ProviderServer {
	if known, ok := r.servers[address]; ok {
		return known
	}
	r.servers[address] = nil
	b := r.config.find(address)
	if b == nil {
		r.outcome.fail(address, errors.New("Provider configuration not present"))
		return nil
	}
	config, ok := r.evaluate(b)
	if !ok {
		return nil
	}
	liqo := provider.New("test")
	r.providers = append(r.providers, liqo)
	server := r.newServer(liqo)
	if !r.valid(server, b, config) {
		return nil
	}
	answer := ask(r, server.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: sent(config, config.Type()),
	})
	if !r.outcome.told(b.shownAddress(), config, answer.Diagnostics) {
		r.servers[address] = server
	}
	return r.servers[address]
}

// plan plans every resource, and reads the data sources that can be read.
func (r *run) plan() {
	for _, b := range r.config.of("resource", "data") {
		r.visit(b)
	}
	for _, one := range slices.Backward(slices.Clone(r.state)) {
		if b := r.config.find(one.address); b == nil || r.destroy {
			r.planDelete(one)
		}
	}
}

// apply makes the changes of a plan: first it deletes what is configured no more.
func (r *run) apply() {
	for _, c := range r.outcome.changes {
		if c.action == "delete" {
			r.applyDelete(c)
		}
	}
	if !r.destroy {
		for _, b := range r.config.of("resource", "data") {
			r.visit(b)
		}
	}
}

// visit plans or applies a block, once.
func (r *run) visit(b *block) {
	if r.visited[b.address] {
		return
	}
	r.visited[b.address] = true
	switch {
	case b.kind == "data":
		r.readData(b)
	case b.kind == "resource" && r.planning:
		r.planBlock(b)
	case b.kind == "resource":
		r.applyBlock(b)
	}
}

// readData reads a data source, unless its configuration is unknown, or it depends on a resource that will change.
func (r *run) readData(b *block) {
	server := r.server(b.provider)
	config, ok := r.evaluate(b)
	if server == nil || !ok || r.destroy || !r.valid(server, b, config) {
		return
	}
	kind := schemaFor(b.kind, b.typeName).of
	late := r.planning && slices.ContainsFunc(r.outcome.changes, func(c *change) bool {
		return c.action != "no-op" && slices.Contains(b.dependsOn, c.address)
	})
	if late || !config.IsWhollyKnown() {
		r.values[b.address] = cty.UnknownVal(kind)
		return
	}
	answer := ask(r, server.ReadDataSource,
		&tfprotov6.ReadDataSourceRequest{TypeName: b.typeName, Config: sent(config, kind)})
	if !r.outcome.told(b.address, config, answer.Diagnostics) {
		r.values[b.address] = received(answer.State, kind)
		r.read[b.address] = r.values[b.address]
	}
}
