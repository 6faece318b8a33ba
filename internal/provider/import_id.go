package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// imported connects to the two leaves that an import asks for. The diagnostics say why it is not known which these are.
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

// importedByID connects to the leaves that an ID names, `client/server`. Names may have slashes, as those that the AWS CLI gives to contexts do: the ID is read in the
// one way that makes two known names of it. Where there is none, the two are cluster IDs, as in the attribute `id`.
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
		diags.AddError("Not the ID of one shortcut", fmt.Sprintf("The ID to import is `client/server`. It was %q, which can be read in several ways: %s. Import by the "+
			"cluster IDs instead, as `client_cluster_id/server_cluster_id`.", id, listed(ways)))
	case namesErr != nil:
		diags.AddError("The names of the leaves are not known", detail(namesErr))
	case isPair && client != "" && server != "" && !strings.Contains(server, "/"):
		return l.importedByClusterIDs(ctx, client, server)
	case l.unknown.any():
		diags.Append(leavesNotKnownYet())
	default:
		diags.AddError("Not the ID of a shortcut", fmt.Sprintf("The ID to import is `client/server`: the names of the two leaves, or their cluster IDs. It was %q. "+
			"The names are %q.", id, names))
	}
	return pair{}, diags
}

// importedByClusterIDs connects to the leaves with these cluster IDs, whatever they are called.
func (l *leaves) importedByClusterIDs(ctx context.Context, client, server string) (pair, diag.Diagnostics) {
	found := l.connectByID(ctx, client, server)
	unknown := found.failed()
	if len(unknown) == 0 {
		return found, nil
	}
	if l.unknown.any() {
		return pair{}, diag.Diagnostics{leavesNotKnownYet()}
	}
	var diags diag.Diagnostics
	for _, end := range unknown {
		diags.AddError("Unknown "+end.attribute, detail(end.err)+" The ID to import is `client/server`, with the names of the two leaves or with their cluster IDs.")
	}
	return pair{}, diags
}

func leavesNotKnownYet() diag.Diagnostic {
	return diag.NewErrorDiagnostic("The leaves are not known yet", "The provider block has values that are only known after an apply, so it is not known which leaves "+
		"are meant. Apply first what these values come from, with `-target`.")
}

// reading is one way to read an ID.
type reading struct{ client, server string }

// readings are all the ways to cut an ID at a slash.
func readings(id string) []reading {
	var all []reading
	for i, char := range id {
		if char == '/' {
			all = append(all, reading{client: id[:i], server: id[i+1:]})
		}
	}
	return all
}

func listed(ways []reading) string {
	texts := make([]string, len(ways))
	for i, way := range ways {
		texts[i] = fmt.Sprintf("client %q and server %q", way.client, way.server)
	}
	return strings.Join(texts, ", or ")
}
