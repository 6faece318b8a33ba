package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var _ list.ListResourceWithConfigure = (*shortcutList)(nil)

// shortcutList is the list resource liqo_shortcut: every network between the leaves of the provider, whoever made it.
type shortcutList struct{ configured }

func newShortcutList() list.ListResource { return &shortcutList{} }

// Metadata implements [list.ListResource].
func (l *shortcutList) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = TypeName + "_shortcut"
}

// ListResourceConfigSchema implements [list.ListResource].
func (l *shortcutList) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Every network between two of the given clusters, whoever made it. A cluster that cannot " +
			"be read is a warning.",
		Attributes: map[string]listschema.Attribute{
			"clusters": listschema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: clustersDescription("between which to look for networks"),
				Validators:          clusterNames(),
			},
			"cluster": listschema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only networks of the cluster with this name.",
				Validators:          []validator.String{notEmpty()},
			},
			"made_by": listschema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only networks with this maker. " + madeByDescription,
				Validators: []validator.String{stringvalidator.OneOf(
					string(shortcut.ByProvider), string(shortcut.ByPeering), string(shortcut.ByOther))},
			},
			"status": listschema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only networks with this status: `Connected`, `Connecting`, `Error` or `Disconnected`.",
				Validators: []validator.String{stringvalidator.OneOf(
					string(shortcut.Connected), string(shortcut.Connecting), string(shortcut.Error),
					string(shortcut.Disconnected))},
			},
		},
	}
}

// shortcutListModel is the configuration of a list block.
type shortcutListModel struct {
	Clusters types.List   `tfsdk:"clusters"`
	Cluster  types.String `tfsdk:"cluster"`
	MadeBy   types.String `tfsdk:"made_by"`
	Status   types.String `tfsdk:"status"`
}

// selects reports whether a network passes the filters. A network with a leaf that cannot be read does not, because it
// cannot be imported.
func (m *shortcutListModel) selects(link shortcut.Link) bool {
	name := m.Cluster.ValueString()
	return link.Status != shortcut.Unknown &&
		(m.Cluster.IsNull() || name == link.Client.Name || name == link.Server.Name) &&
		(m.MadeBy.IsNull() || m.MadeBy.ValueString() == string(link.MadeBy)) &&
		(m.Status.IsNull() || m.Status.ValueString() == string(link.Status))
}

// List implements [list.ListResource].
func (l *shortcutList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var model shortcutListModel
	if diags := req.Config.Get(ctx, &model); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(withLogging(ctx), defaultReadTimeout)
		defer cancel()
		links, diags := l.links(ctx, model)
		if len(diags) > 0 && !push(list.ListResult{Diagnostics: diags}) {
			return
		}
		for i, link := range links {
			if int64(i) == req.Limit || !push(l.result(ctx, req, link)) {
				return
			}
		}
	}
}

// links returns the networks that pass the filters, sorted by client and server.
func (l *shortcutList) links(ctx context.Context, model shortcutListModel) ([]shortcut.Link, diag.Diagnostics) {
	names, unknown, diags := l.leaves.names(ctx, model.Clusters)
	if unknown {
		diags.Append(leavesNotKnownYet())
	}
	if diags.HasError() {
		return nil, diags
	}
	survey, surveyed := l.leaves.survey(ctx, names, model.Clusters)
	diags.Append(surveyed...)
	var links []shortcut.Link
	for _, link := range survey.Networks() {
		if model.selects(link) {
			links = append(links, link)
		}
	}
	return links, diags
}

// result returns a network with its identity and, on request, the whole resource, as an import would record it.
func (l *shortcutList) result(ctx context.Context, req list.ListRequest, link shortcut.Link) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = fmt.Sprintf("%s → %s", link.Client.Name, link.Server.Name)
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{
		ClientClusterID: types.StringValue(link.Client.ID), ServerClusterID: types.StringValue(link.Server.ID),
	})...)
	if !req.IncludeResource {
		return result
	}
	pair := l.leaves.connect(ctx, link.Client.Name, link.Server.Name)
	if result.Diagnostics.Append(pair.errors()...); result.Diagnostics.HasError() {
		return result
	}
	result.Diagnostics.Append(setAttributes(ctx, result.Resource, pair.importedAttributes())...)
	var model shortcutModel
	if result.Diagnostics.Append(result.Resource.Get(ctx, &model)...); result.Diagnostics.HasError() {
		return result
	}
	observed, err := shortcut.New(pair.client, pair.server).OwnedBy(owner.Owner{Claims: true}).Observe(ctx)
	if err != nil {
		result.Diagnostics.Append(failureOf("leaf-unreadable", "The shortcut can't be read", err).asError())
		return result
	}
	model.observed(ctx, observed)
	result.Diagnostics.Append(result.Resource.Set(ctx, &model)...)
	return result
}
