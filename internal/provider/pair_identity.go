package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// differ is an error if both names stand for the same cluster.
func (p pair) differ() diag.Diagnostics {
	var diags diag.Diagnostics
	if p.client != nil && p.server != nil && p.client.ID == p.server.ID {
		diags.AddAttributeError(path.Root("server"), "The same leaf twice", "A shortcut joins two different leaves; \""+
			p.client.Name+"\" and \""+p.server.Name+"\" both stand for cluster \""+string(p.client.ID)+"\".")
	}
	return diags
}

// isAnother reports whether the names now stand for other clusters than those that the shortcut joins.
func (p pair) isAnother(model *shortcutModel) bool {
	return isAnother(p.client, model.ClientClusterID.ValueString()) || isAnother(p.server, model.ServerClusterID.ValueString())
}

// isAnother compares a leaf with the ID that is on record; an empty one is on record before the first apply only.
func isAnother(leaf *cluster.Leaf, id string) bool { return id != "" && string(leaf.ID) != id }

// recordedEnd is what a model says of one end of a shortcut.
type recordedEnd struct {
	name string // of the leaf
	id   string // of the cluster; empty before the first apply
}

// recorded is the end that an attribute names, client or server. Without a model, nothing is on record.
func (m *shortcutModel) recorded(attribute string) recordedEnd {
	switch {
	case m == nil:
		return recordedEnd{}
	case attribute == "client":
		return recordedEnd{m.Client.ValueString(), m.ClientClusterID.ValueString()}
	default:
		return recordedEnd{m.Server.ValueString(), m.ServerClusterID.ValueString()}
	}
}

// mustBe is an error for each name that does not stand for the cluster which the shortcut joins.
func (p pair) mustBe(model *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for attribute, leaf := range map[string]*cluster.Leaf{"client": p.client, "server": p.server} {
		if id := model.recorded(attribute).id; isAnother(leaf, id) {
			diags.AddAttributeError(path.Root(attribute), "Another cluster", "The name \""+leaf.Name+"\" stands for cluster \""+
				string(leaf.ID)+"\" now; the shortcut joins cluster \""+id+"\". Nothing was done. Let the name stand for that cluster "+
				"again, at least until the shortcut is destroyed.")
		}
	}
	return diags
}

// knowsNewNames reports whether each name that a plan changes is known to stand for the cluster on record: the pair is connected by the names of the plan, and
// has been compared with the state.
func (p pair) knowsNewNames(plan, state *shortcutModel) bool {
	return (p.client != nil || plan.Client.Equal(state.Client)) && (p.server != nil || plan.Server.Equal(state.Server))
}
