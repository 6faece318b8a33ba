package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// identityModel is the identity of a shortcut. It does not depend on the names of the leaves.
type identityModel struct {
	ClientClusterID types.String `tfsdk:"client_cluster_id"`
	ServerClusterID types.String `tfsdk:"server_cluster_id"`
}

// find fails if a leaf does not answer, or if the network has the opposite direction, because the next apply would
// reverse it.
func (r *shortcutResource) find(
	ctx context.Context, req resource.ImportStateRequest,
) (imported, diag.Diagnostics) {
	pair, diags := r.leaves.imported(ctx, req)
	if diags.Append(pair.errors()...); !diags.HasError() {
		diags.Append(pair.differ()...)
	}
	if diags.HasError() {
		return imported{}, diags
	}
	diags.Append(pair.checkDirection(ctx)...)
	diags.Append(pair.importedFrom(ctx)...)
	identity := identityModel{
		ClientClusterID: types.StringValue(string(pair.client.ID)),
		ServerClusterID: types.StringValue(string(pair.server.ID)),
	}
	return imported{identity, pair.importedAttributes(), ownership{Claims: true, Imported: true}}, diags
}

// importedAttributes returns the first state of an imported shortcut.
func (p pair) importedAttributes() map[string]any {
	attributes := maps.Clone(importedSettings)
	attributes["client"], attributes["server"] = p.client.Name, p.server.Name
	attributes["client_cluster_id"], attributes["server_cluster_id"] = string(p.client.ID), string(p.server.ID)
	attributes["client_cluster_uid"], attributes["server_cluster_uid"] = string(p.client.UID), string(p.server.UID)
	return attributes
}

// checkDirection returns an error if the client of the pair is the gateway that is dialled. A network without gateways
// has no direction.
func (p pair) checkDirection(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	reversed, err := shortcut.New(p.client, p.server).Reversed(ctx)
	switch {
	case err != nil:
		diags.Append(failureOf("leaf-unreadable", "The network can't be read", err).asError())
	case reversed:
		diags.Append(invalid("The network has the opposite direction",
			fmt.Sprintf("%[1]q is the client and %[2]q the server. So the import ID is `%[1]s/%[2]s`, or by cluster IDs "+
				"`%[3]s/%[4]s`. Nothing was imported, because an apply would reverse the network.",
				p.server.Name, p.client.Name, p.server.ID, p.client.ID)).asError())
	}
	return diags
}

// importedFrom warns if another resource made the network.
func (p pair) importedFrom(ctx context.Context) diag.Diagnostics {
	token, origin, err := shortcut.New(p.client, p.server).ImportedFrom(ctx)
	if err != nil || token == "" {
		return nil // a refresh reports the error
	}
	return diag.Diagnostics{importedFrom("liqo_shortcut", origin)}
}

// importedFrom returns the warning that a resource which is imported may be in another Terraform state.
func importedFrom(resource string, origin owner.Origin) diag.Diagnostic {
	return report("another-state", "Another Terraform state may have this",
		fmt.Sprintf("A %s already has it, made by %s. The import takes it over and changes nothing. If that resource is "+
			"still in a Terraform state, remove it there with a `removed` block or `terraform state rm`. Otherwise both manage "+
			"the same objects, and a destroy of one takes them from the other.", resource, origin)).asWarning()
}

// imported connects to the two leaves of an import. The diagnostics say why the leaves are not known.
func (l *leaves) imported(ctx context.Context, req resource.ImportStateRequest) (pair, diag.Diagnostics) {
	if req.ID != "" {
		return l.importedByID(ctx, req.ID)
	}
	var identity identityModel
	if diags := req.Identity.Get(ctx, &identity); diags.HasError() {
		return pair{}, diags
	}
	return l.importedByClusterIDs(ctx, identity.ClientClusterID.ValueString(), identity.ServerClusterID.ValueString())
}

// importedByID connects to the leaves in an import ID, `client/server`. Names may contain slashes, as the AWS CLI's
// context names do, so every way to split the ID is tried. Exactly one must give two known names. If none does, the two
// parts are cluster IDs, as in the attribute `id`.
func (l *leaves) importedByID(ctx context.Context, id string) (pair, diag.Diagnostics) {
	var diags diag.Diagnostics
	names, namesErr := l.registry.Names()
	names = slices.DeleteFunc(names, l.unknown.has)
	ways := slices.DeleteFunc(readings(id), func(r reading) bool {
		return !slices.Contains(names, r.client) || !slices.Contains(names, r.server)
	})
	client, server, isPair := strings.Cut(id, "/")
	switch {
	case len(ways) == 1:
		return l.connect(ctx, ways[0].client, ways[0].server), diags
	case len(ways) > 1:
		diags.Append(invalid("Ambiguous import ID",
			fmt.Sprintf("The import ID must be `client/server`. %q has several meanings: %s. Import by the cluster IDs "+
				"instead, as `client_cluster_id/server_cluster_id`.", id, listWays(ways))).asError())
	case namesErr != nil:
		diags.Append(because("clusters-not-listed", "The names of the leaves are not known", namesErr).asError())
	case isPair && client != "" && server != "" && !strings.Contains(server, "/"):
		return l.importedByClusterIDs(ctx, client, server)
	case l.unknown.any():
		diags.Append(leavesNotKnownYet())
	default:
		diags.Append(invalid("Invalid import ID",
			fmt.Sprintf("The import ID must be %s. It was %q. The known names are %q.",
				shortcutIDForm, id, names)).asError())
	}
	return pair{}, diags
}

// importedByClusterIDs connects to the leaves with these cluster IDs.
func (l *leaves) importedByClusterIDs(ctx context.Context, client, server string) (pair, diag.Diagnostics) {
	p := l.connectByID(ctx, client, server)
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(l.notImported(end, shortcutIDForm)...)
	}
	if diags.HasError() {
		return pair{}, diags
	}
	return p, nil
}

const shortcutIDForm = "`client/server`: the names of the two leaves, or their cluster IDs"

// notImported returns the diagnostics of a leaf that an import could not connect to, or nil if it could. form describes
// the import ID.
func (l *leaves) notImported(end failedEnd, form string) diag.Diagnostics {
	_, isUnknownID := errors.AsType[*cluster.UnknownIDError](end.err)
	switch {
	case end.err == nil:
		return nil
	case l.unknown.any():
		return diag.Diagnostics{leavesNotKnownYet()}
	case isUnknownID || isUnknownName(end.err):
		return diag.Diagnostics{failureOf("leaf-unknown", "Unknown "+end.attribute, end.err,
			"The import ID must be "+form+".").asError()}
	default:
		return diag.Diagnostics{end.diagnostic()}
	}
}

func leavesNotKnownYet() diag.Diagnostic {
	return report("credentials-not-known", "The leaves are not known yet",
		"The provider block has values that are known only after an apply, so the leaves of the import ID are not known. "+
			"First apply the resources that these values come from, with `-target`.").asError()
}

// reading is one way to split an import ID into two names.
type reading struct{ client, server string }

// readings returns every way to split an import ID at a slash.
func readings(id string) []reading {
	var all []reading
	for i, char := range id {
		if char == '/' {
			all = append(all, reading{client: id[:i], server: id[i+1:]})
		}
	}
	return all
}

func listWays(ways []reading) string {
	texts := make([]string, len(ways))
	for i, way := range ways {
		texts[i] = fmt.Sprintf("client %q and server %q", way.client, way.server)
	}
	return strings.Join(texts, ", or ")
}
