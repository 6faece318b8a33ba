package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// view is what all data sources have in common. None of them changes anything on a leaf.
type view struct {
	name   string // what follows the provider's name
	leaves *leaves
}

// Metadata implements [datasource.DataSource].
func (v *view) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = TypeName + "_" + v.name
}

// Configure implements [datasource.DataSourceWithConfigure].
func (v *view) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	leaves, diags := leavesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	v.leaves = leaves
}

// ValidateConfig implements [datasource.DataSourceWithValidateConfig].
func (v *view) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var timeouts timeouts.Value
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("timeouts"), &timeouts)...)
	resp.Diagnostics.Append(validateTimeouts(timeouts.Attributes())...)
}

// read is the Read method of a data source. Look adds to the configuration what the leaves hold, in the time that the configuration allows, and leaves its
// diagnostics in resp; the state is set unless one of them is an error, or the read has been postponed.
func read[M any](ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, look func(context.Context, *M)) {
	var model M
	var timeouts timeouts.Value
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("timeouts"), &timeouts)...)
	timeout, diags := timeouts.Read(ctx, defaultReadTimeout)
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if look(ctx, &model); resp.Diagnostics.HasError() || resp.Deferred != nil {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// postpone puts off a read because the provider block has values that are only known after an apply. A Terraform that can read later is asked to; any other
// one wants an answer now, and there is none.
func postpone(req datasource.ReadRequest, resp *datasource.ReadResponse, attribute path.Path) {
	if req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		return
	}
	resp.Diagnostics.AddAttributeError(attribute, "The credentials are not known yet",
		"The provider block has values for this cluster that are only known after an apply, so it can't be read now. Let this data source come after what they "+
			"come from, with `depends_on`: then it is read during the apply. Or apply that first, with `-target`.")
}

// clusters are the names of the clusters to look at. Where they are not known, the answer is a diagnostic, or to postpone the read.
func (v *view) clusters(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, asked types.List) (names []string, known bool) {
	names, unknown, diags := v.leaves.names(ctx, asked)
	resp.Diagnostics.Append(diags...)
	if unknown {
		postpone(req, resp, path.Root("clusters"))
	}
	return names, !unknown && !diags.HasError()
}

// names are the clusters to look at: those that are asked for, else all that the user means when naming none. They are unknown while the provider block is.
func (l *leaves) names(ctx context.Context, asked types.List) (names []string, unknown bool, diags diag.Diagnostics) {
	if !asked.IsNull() {
		diags.Append(asked.ElementsAs(ctx, &names, false)...)
		for _, name := range names {
			unknown = unknown || l.unknown.has(name)
		}
		return names, unknown, diags
	}
	if l.unknown.any() {
		return nil, true, diags
	}
	names, err := l.registry.Listed()
	if err != nil {
		diags.AddAttributeError(path.Root("clusters"), "The clusters can't be listed", detail(err))
	}
	return names, false, diags
}

// survey looks at the clusters. Of those that could not be read it warns; a name that stands for nothing is an error.
func (l *leaves) survey(ctx context.Context, names []string, asked types.List) (shortcut.Survey, diag.Diagnostics) {
	var diags diag.Diagnostics
	survey := shortcut.Look(ctx, names, l.registry.Leaf)
	for _, leaf := range survey.Leaves {
		if leaf.Err == nil {
			continue
		}
		headline, text := summary(fmt.Sprintf("Nothing is known of leaf %q", leaf.Name), leaf.Err), detail(leaf.Err)
		_, misspelt := errors.AsType[*cluster.UnknownNameError](leaf.Err)
		switch {
		case misspelt:
			diags.AddAttributeError(path.Root("clusters"), headline, text)
		case cluster.NoLiqo(leaf.Err) && asked.IsNull():
			// A kubeconfig has contexts of clusters that are no leaves, too.
		default:
			diags.AddAttributeWarning(path.Root("clusters"), headline, text+"\n\nThe other clusters are shown without it.")
		}
	}
	return survey, diags
}

// madeByDescription is of an attribute that tells who made a network.
const madeByDescription = "Who made the network. `terraform-provider-liqo`: this provider made or adopted all of it. `peering`: the two clusters are peered, and " +
	"the network is not this provider's. `other`: liqoctl or another program, also where it is this provider's only in part."

func shownString(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func clustersAttribute(whatFor string) schema.Attribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Names of the clusters " + whatFor + ". Default: every cluster of the provider's `clusters` or, where it has none, every context of " +
			"its kubeconfig. A cluster with several names counts once.",
		Validators: []validator.List{
			listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
		},
	}
}
