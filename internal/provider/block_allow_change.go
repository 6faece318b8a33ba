package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// This file has what becomes of the rules of `allow` after an apply: what a refresh sees, and what a change leaves
// open.

// observedAllow copies what may cross from the leaves into the model, if both have a gateway.
func (m *shortcutModel) observedAllow(ctx context.Context, state shortcut.State) {
	if state.ClientGateway != nil && state.ServerGateway != nil {
		m.Allow = observedRules(ctx, m.Allow, state.Allow, state.Limited)
	}
}

// observedRules returns the rules that the leaves show. Where someone has edited or removed some, the former ones stay:
// null would mean that everything may cross, and a configuration that ignores changes would bring that about.
func observedRules(ctx context.Context, former types.Set, allow *shortcut.Allow, limited bool) types.Set {
	if allow == nil && limited && given(former) {
		return former
	}
	return allowSet(ctx, allow)
}

// rulesEdited warns of rules that someone has edited or removed.
func rulesEdited(allow *shortcut.Allow, limited bool) diag.Diagnostics {
	if allow != nil || !limited {
		return nil
	}
	return diag.Diagnostics{report("rules-edited", "The rules of `allow` have been edited or removed",
		"A gateway has had rules, and they are no longer as this provider has written them. Until the next apply, more or "+
			"less is allowed than `allow` says. The apply writes the rules anew. If there is no `allow` in the "+
			"configuration and the state, it allows everything.").warningAt(path.Root("allow"))}
}

// stayOpen warns of connections that a change of the rules closes, and that go on while they are open.
func stayOpen(ctx context.Context, before, planned types.Set, client, server string) diag.Diagnostics {
	if !given(planned) || planned.Equal(before) || !fullyKnown(ctx, planned) {
		return nil
	}
	var open []string
	for _, one := range allowSpec(ctx, planned).StayOpen(allowSpec(ctx, before)) {
		to, from := client, server
		if one.ToServer {
			to, from = server, client
		}
		open = append(open, fmt.Sprintf("those of %s to %q, because of the rule that allows %s to %q",
			one.Closed, to, one.Like,
			from))
	}
	if len(open) == 0 {
		return nil
	}
	return diag.Diagnostics{report("connections-stay-open", "Established connections continue",
		fmt.Sprintf("The apply closes the way for new connections. But some that are open then go on: %s. The gateways take "+
			"their packets for answers to connections that such a rule allows. Restart the pods that hold the connections, or "+
			"give the rule a port or ports below 32768.", trouble.Enumerate(open))).warningAt(path.Root("allow"))}
}
