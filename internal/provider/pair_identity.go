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

// isAnother tells whether the names now stand for other clusters than those that the shortcut joins.
func (p pair) isAnother(model *shortcutModel) bool {
	return isAnother(p.client, model.ClientClusterID.ValueString()) || isAnother(p.server, model.ServerClusterID.ValueString())
}

// isAnother compares a leaf with the ID that is on record; an empty one is on record before the first apply only.
func isAnother(leaf *cluster.Leaf, id string) bool { return id != "" && string(leaf.ID) != id }

// mustBe is an error for each name that does not stand for the cluster which the shortcut joins.
func (p pair) mustBe(model *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for attribute, end := range map[string]struct {
		leaf *cluster.Leaf
		id   string
	}{
		"client": {p.client, model.ClientClusterID.ValueString()},
		"server": {p.server, model.ServerClusterID.ValueString()},
	} {
		if isAnother(end.leaf, end.id) {
			diags.AddAttributeError(path.Root(attribute), "Another cluster", "The name \""+end.leaf.Name+"\" stands for cluster \""+
				string(end.leaf.ID)+"\" now; the shortcut joins cluster \""+end.id+"\". Nothing was done. Let the name stand for that cluster "+
				"again, at least until the shortcut is destroyed.")
		}
	}
	return diags
}
