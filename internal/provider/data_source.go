package provider

import (
	"context"
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
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// dataSource is the common part of all data sources. A data source never changes anything on a leaf.
type dataSource struct {
	name   string // of the data source, without the provider's name
	leaves *leaves
}

// Metadata implements [datasource.DataSource].
func (v *dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = TypeName + "_" + v.name
}

// Configure implements [datasource.DataSourceWithConfigure].
func (v *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	leaves, diags := leavesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	v.leaves = leaves
}

// ValidateConfig implements [datasource.DataSourceWithValidateConfig].
func (v *dataSource) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	var timeouts timeouts.Value
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("timeouts"), &timeouts)...)
	resp.Diagnostics.Append(validateTimeouts(timeouts.Attributes())...)
}

// readDataSource implements the Read method of a data source. The function look adds to the configuration what the
// leaves hold, within the configured timeout, and writes its diagnostics into resp. The state is set unless look
// reports an error or postpones the read.
func readDataSource[M any](
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, look func(context.Context, *M),
) {
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

// postpone defers a read because the provider block has values that are known only after an apply. If Terraform
// supports deferral, the read is deferred. Otherwise it is an error.
func postpone(req datasource.ReadRequest, resp *datasource.ReadResponse, attribute path.Path) {
	if req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		return
	}
	resp.Diagnostics.Append(report("credentials-not-known", "The credentials are not known yet",
		"The provider block has values for this cluster that are known only after an apply, so it cannot be read "+
			"now. Add `depends_on` with the resources that these values come from; then this data source is read "+
			"during the apply. Or apply those resources first, with `-target`.").errorAt(attribute))
}

// clusters returns the names of the clusters to look at. If they are not known yet, it reports an error or postpones
// the read.
func (v *dataSource) clusters(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, configured types.List,
) (names []string, known bool) {
	names, unknown, diags := v.leaves.names(ctx, configured)
	resp.Diagnostics.Append(diags...)
	if unknown {
		postpone(req, resp, path.Root("clusters"))
	}
	return names, !unknown && !diags.HasError()
}

// names returns the clusters to look at: the given ones or, by default, all that the provider knows. They are unknown
// while the provider block is unknown.
func (l *leaves) names(
	ctx context.Context, configured types.List,
) (names []string, unknown bool, diags diag.Diagnostics) {
	if !configured.IsNull() {
		diags.Append(configured.ElementsAs(ctx, &names, false)...)
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
		diags.Append(because("clusters-not-listed", "The clusters can't be listed", err).
			errorAt(path.Root("clusters")))
	}
	return names, false, diags
}

// survey looks at the clusters. A cluster that cannot be read is a warning. A name that refers to no cluster is an
// error.
func (l *leaves) survey(
	ctx context.Context, names []string, configured types.List,
) (shortcut.Survey, diag.Diagnostics) {
	var diags diag.Diagnostics
	survey := shortcut.NewSurvey(ctx, names, l.registry.Ask)
	for _, leaf := range survey.Leaves {
		if leaf.Err == nil {
			continue
		}
		at, headline := path.Root("clusters"), fmt.Sprintf("Leaf %q can't be read", leaf.Name)
		switch {
		case isUnknownName(leaf.Err):
			diags.Append(failureOf("leaf-unreadable", headline, leaf.Err).errorAt(at))
		case cluster.NoLiqo(leaf.Err) && configured.IsNull():
			// A kubeconfig also has contexts of clusters that are not leaves.
		default:
			diags.Append(failureOf("leaf-unreadable", headline, leaf.Err,
				"The result has the other clusters.").warningAt(at))
		}
	}
	return survey, diags
}

// askAll asks each of the clusters a question, all at the same time. It returns the answers by the name of the cluster.
// It leaves out clusters that can't be asked, for example because Terraform's user has no permission.
func askAll[T any](
	ctx context.Context, l *leaves, names []string, question func(context.Context, *cluster.Leaf) (T, error),
) map[string]T {
	answers := map[string]T{}
	for i, answer := range parallel.Map(names, func(name string) *T {
		var answer T
		_, err := l.registry.Ask(ctx, name, func(ctx context.Context, leaf *cluster.Leaf) (err error) {
			answer, err = question(ctx, leaf)
			return err
		})
		if err != nil {
			return nil
		}
		return &answer
	}) {
		if answer != nil {
			answers[names[i]] = *answer
		}
	}
	return answers
}

// madeByDescription describes an attribute that says who made a network.
const madeByDescription = "`terraform-provider-liqo`: this provider owns all of the network. `peering`: the " +
	"clusters are peered, and this provider does not. `other`: liqoctl or another program made it, or this provider " +
	"owns only a part."

func shownString(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func clustersAttribute(whatFor string) schema.Attribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: clustersDescription(whatFor), Validators: clusterNames(),
	}
}

func clustersDescription(whatFor string) string {
	return "Names of the clusters " + whatFor + ". Default: those in the provider's `clusters` or, if there are none, " +
		"every context of its kubeconfig."
}

// clusterNames accepts a list of names, each once.
func clusterNames() []validator.List {
	return []validator.List{
		listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.UniqueValues(),
		listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
	}
}
