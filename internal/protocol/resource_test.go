package protocol

import (
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// planBlock plans a resource of the configuration.
func (r *run) planBlock(b *block) {
	server := r.server(b.provider)
	if server == nil {
		return
	}
	imported := r.importBlock(b)
	prior, ok := r.refresh(b.address, b.provider)
	if r.destroy || !ok || r.outcome.failed && imported {
		return
	}
	config, ok := r.evaluate(b)
	if !ok || !r.valid(server, b, config) {
		return
	}
	c := b.change()
	c.prior, c.imported = prior, imported
	if r.planChange(server, c, config) {
		r.outcome.changes = append(r.outcome.changes, c)
		r.values[b.address] = c.planned
	}
}

// planChange lets the provider plan a change. It asks again, as for a new resource, if the change is a replacement.
func (r *run) planChange(server tfprotov6.ProviderServer, c *change, config cty.Value) bool {
	none := &instance{value: cty.NullVal(config.Type())}
	prior := c.prior
	if prior == nil || prior.tainted {
		prior = none
	}
	answer := r.askForPlan(server, c, config, prior)
	switch {
	case answer == nil:
		return false
	case c.prior == nil:
		c.action = "create"
	case c.prior.tainted:
		c.action = "replace"
	case slices.Contains(r.demanded, c.address),
		slices.ContainsFunc(answer.RequiresReplace, func(path *tftypes.AttributePath) bool {
			steps := stepsOf(path)
			return !along(steps, prior.value).RawEquals(along(steps, c.planned))
		}):
		c.action = "replace"
		none.private = c.private
		return r.askForPlan(server, c, config, none) != nil
	case c.planned.RawEquals(prior.value):
		c.action = "no-op"
	default:
		c.action = "update"
	}
	return true
}

// askForPlan asks the provider for one plan. It returns nil if that fails.
func (r *run) askForPlan(
	server tfprotov6.ProviderServer, c *change, config cty.Value, prior *instance,
) *tfprotov6.PlanResourceChangeResponse {
	of := schemaFor("resource", c.typeName)
	answer := ask(r, server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: c.typeName, Config: sent(config, of.of), PriorState: sent(prior.value, of.of),
		ProposedNewState: sent(proposed(of.attributes, prior.value, config), of.of),
		PriorPrivate:     prior.private, PriorIdentity: prior.identity,
	})
	if r.outcome.told(c.address, config, answer.Diagnostics) {
		return nil
	}
	c.planned, c.private, c.identity = received(answer.PlannedState, of.of), answer.PlannedPrivate, answer.PlannedIdentity
	if wrong := invented(of.attributes, prior.value, plain(config), plain(c.planned), c.address); len(wrong) > 0 {
		r.t.Errorf("the provider produced an invalid plan:\n%s", strings.Join(wrong, "\n"))
	}
	return answer
}

// planDelete plans to delete a resource.
func (r *run) planDelete(one *instance) {
	server := r.server(one.provider)
	if server == nil {
		return
	}
	if !r.visited[one.address] {
		r.visited[one.address] = true
		refreshed, ok := r.refresh(one.address, one.provider)
		if !ok || refreshed == nil {
			return
		}
	} else if r.state.find(one.address) == nil {
		return
	}
	c := &change{
		address: one.address, typeName: one.typeName, provider: one.provider, action: "delete", prior: one,
	}
	if r.askForPlan(server, c, cty.NullVal(one.value.Type()), one) != nil {
		r.outcome.changes = append(r.outcome.changes, c)
	}
}

// refresh reads a resource of the state again, and returns it, or nil if there is none. It reports false if that fails.
func (r *run) refresh(address, provider string) (*instance, bool) {
	one := r.state.find(address)
	if one == nil {
		return nil, true
	}
	server := r.server(provider)
	one.provider = provider
	if !r.upgrade(server, one) {
		return nil, false
	}
	kind := one.value.Type()
	answer := ask(r, server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: one.typeName, CurrentState: sent(one.value, kind), Private: one.private, CurrentIdentity: one.identity,
	})
	if r.outcome.told(address, one.value, answer.Diagnostics) {
		return nil, false
	}
	one.value, one.private, one.identity = received(answer.NewState, kind), answer.Private, answer.NewIdentity
	if one.value.IsNull() {
		r.state.drop(address)
		return nil, true
	}
	return one, true
}

// upgrade lets the provider read a resource of a stored state, which may be of an older version of the provider.
func (r *run) upgrade(server tfprotov6.ProviderServer, one *instance) bool {
	stored := sure(ctyjson.Marshal(one.value, one.value.Type()))
	answer := ask(r, server.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: one.typeName, Version: one.version, RawState: &tfprotov6.RawState{JSON: stored},
	})
	of := schemaFor("resource", one.typeName)
	one.value, one.version = received(answer.UpgradedState, of.of), of.version
	return !r.outcome.told(one.address, one.value, answer.Diagnostics)
}

// importBlock imports what an import block wants for a resource. It reports whether there is such a block.
func (r *run) importBlock(b *block) bool {
	for _, wish := range r.config.of("import") {
		if wish.address != b.address || r.state.find(b.address) != nil {
			continue
		}
		text := schema{of: cty.Object(map[string]cty.Type{
			"id": cty.String, "identity": schemaFor("identity", b.typeName).of,
		})}
		value, err := wish.evaluate(text, r.values)
		if err != nil {
			r.outcome.fail(b.address, err)
			return true
		}
		if id := value.GetAttr("id"); !id.IsNull() {
			r.importInto(b, id.AsString(), nil)
		} else {
			identity := value.GetAttr("identity")
			r.importInto(b, "", &tfprotov6.ResourceIdentityData{IdentityData: sent(identity, identity.Type())})
		}
		return true
	}
	return false
}

// importInto imports a resource into the state, by its ID or its identity.
func (r *run) importInto(b *block, id string, identity *tfprotov6.ResourceIdentityData) {
	server := r.server(b.provider)
	if server == nil {
		return
	}
	answer := ask(r, server.ImportResourceState, &tfprotov6.ImportResourceStateRequest{
		TypeName: b.typeName, ID: id, Identity: identity,
	})
	if r.outcome.told("", cty.NilVal, answer.Diagnostics) {
		return
	}
	of := schemaFor("resource", b.typeName)
	for _, one := range answer.ImportedResources {
		r.state = append(r.state, &instance{
			address: b.address, typeName: one.TypeName, provider: b.provider, version: of.version,
			value: received(one.State, of.of), private: one.Private, identity: one.Identity,
		})
	}
	if found, ok := r.refresh(b.address, b.provider); !ok {
		r.state.drop(b.address)
	} else if found == nil {
		r.outcome.fail(b.address, errors.New("Cannot import non-existent remote object"))
	}
}

// applyBlock makes the change of a resource. Before, the provider plans again with what is known now.
func (r *run) applyBlock(b *block) {
	c := r.outcome.find(b.address)
	if c == nil {
		return
	}
	if c.action == "no-op" {
		r.values[b.address] = c.planned
		return
	}
	server := r.server(b.provider)
	config, ok := r.evaluate(b)
	if server == nil || !ok || !r.valid(server, b, config) || c.action == "replace" && !r.applyDelete(c) {
		return
	}
	prior := &instance{value: cty.NullVal(config.Type())}
	if c.action == "update" {
		prior = c.prior
	}
	last := b.change()
	if r.askForPlan(server, last, config, prior) == nil {
		return
	}
	if changed := unkept(c.planned, last.planned, c.address); len(changed) > 0 {
		r.t.Errorf("the provider produced an inconsistent final plan:\n%s", strings.Join(changed, "\n"))
	}
	r.applyChange(server, last, config, prior)
}

// applyDelete lets the provider delete what a change finds, and reports whether it is gone.
func (r *run) applyDelete(c *change) bool {
	server := r.server(c.prior.provider)
	gone := &change{
		address: c.address, typeName: c.typeName, provider: c.prior.provider, planned: cty.NullVal(c.prior.value.Type()),
		private: c.private, identity: c.prior.identity,
	}
	return server != nil && r.applyChange(server, gone, gone.planned, c.prior)
}

// applyChange lets the provider create, update or delete a resource, and reports whether it has. What it says of a
// deletion has no address, as in Terraform.
func (r *run) applyChange(server tfprotov6.ProviderServer, c *change, config cty.Value, prior *instance) bool {
	of := schemaFor("resource", c.typeName)
	answer := ask(r, server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.typeName, Config: sent(config, of.of), PriorState: sent(prior.value, of.of),
		PlannedState: sent(c.planned, of.of), PlannedPrivate: c.private, PlannedIdentity: c.identity,
	})
	where := c.address
	if config.IsNull() {
		where = ""
	}
	failed := r.outcome.told(where, config, answer.Diagnostics)
	now := &instance{
		address: c.address, typeName: c.typeName, provider: c.provider, version: of.version,
		value: received(answer.NewState, of.of), private: answer.Private, identity: answer.NewIdentity,
		tainted: failed && (prior.value.IsNull() || prior.tainted),
	}
	if former := r.state.find(c.address); former != nil {
		*former = *now
	} else {
		r.state = append(r.state, now)
	}
	if now.value.IsNull() {
		r.state.drop(c.address)
	}
	if failed {
		return false
	}
	if wrong := unkept(c.planned, now.value, c.address); len(wrong) > 0 || !now.value.IsWhollyKnown() {
		r.t.Errorf("the provider produced an inconsistent result:\n%s", strings.Join(wrong, "\n"))
	}
	r.values[c.address] = now.value
	return true
}
