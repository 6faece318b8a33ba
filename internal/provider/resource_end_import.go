package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// endIdentity is the identity of a resource for one end. It does not depend on the name of the leaf.
type endIdentity struct {
	ClusterID       types.String `tfsdk:"cluster_id"`
	RemoteClusterID types.String `tfsdk:"remote_cluster_id"`
}

// find fails if the leaf does not answer. It warns if the object may be in another Terraform state.
func (r *endResource[M, P]) find(
	ctx context.Context, req resource.ImportStateRequest,
) (imported, diag.Diagnostics) {
	leaf, remote, diags := r.leaves.importedEnd(ctx, req)
	if diags.HasError() {
		return imported{}, diags
	}
	model := P(new(M))
	model.common().RemoteClusterID = types.StringValue(remote)
	self, err := r.object(leaf, model, ownership{}).ImportedFrom(ctx)
	switch {
	case err != nil:
		diags.Append(failureOf("leaf-unreadable", "The owner can't be read", err).asError())
	case self.Shortcut:
		diags.Append(importedFrom("liqo_shortcut", self.Origin))
	case self.Token != "":
		diags.Append(importedFrom(string(r.resource), self.Origin))
	}
	identity := endIdentity{ClusterID: types.StringValue(string(leaf.ID)), RemoteClusterID: types.StringValue(remote)}
	return imported{identity, importedEndAttributes(leaf, remote), ownership{Claims: true, Imported: true}}, diags
}

// importedEndAttributes returns the first state of an imported object.
func importedEndAttributes(leaf *cluster.Leaf, remote string) map[string]any {
	return map[string]any{
		"cluster": leaf.Name, "cluster_id": string(leaf.ID), "cluster_uid": string(leaf.UID), "remote_cluster_id": remote,
	}
}

const endIDForm = "`cluster/remote_cluster_id`: the name or the cluster ID of this cluster, and the cluster ID of " +
	"the other one"

// splitEndID splits an import ID into the name of the leaf and the ID of the other cluster. A cluster ID has no slash,
// but the name of a leaf may have one. Both are empty for an invalid import ID.
func splitEndID(id string) (name, remote string) {
	last := strings.LastIndexByte(id, '/')
	if last <= 0 || last == len(id)-1 {
		return "", ""
	}
	return id[:last], id[last+1:]
}

// invalidImportID returns the error for an import ID that does not have this form.
func invalidImportID(form, id string) diag.Diagnostic {
	return invalid("Invalid import ID",
		fmt.Sprintf("The import ID must be %s. It was %q.", form, id)).asError()
}

// importedEnd returns the leaf and the ID of the other cluster of an import.
func (l *leaves) importedEnd(
	ctx context.Context, req resource.ImportStateRequest,
) (leaf *cluster.Leaf, remote string, diags diag.Diagnostics) {
	if req.ID == "" {
		var identity endIdentity
		if diags = req.Identity.Get(ctx, &identity); diags.HasError() {
			return nil, "", diags
		}
		leaf, err := l.registry.LeafByID(ctx, identity.ClusterID.ValueString())
		return leaf, identity.RemoteClusterID.ValueString(), l.notImported(failedEnd{"cluster", err}, endIDForm)
	}
	name, remote := splitEndID(req.ID)
	if name == "" {
		return nil, "", diag.Diagnostics{invalidImportID(endIDForm, req.ID)}
	}
	leaf, err := l.registry.Leaf(ctx, name)
	if isUnknownName(err) {
		if byID, notFound := l.registry.LeafByID(ctx, name); notFound == nil {
			leaf, err = byID, nil
		}
	}
	return leaf, remote, l.notImported(failedEnd{"cluster", err}, endIDForm)
}
