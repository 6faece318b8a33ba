package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var (
	_ datasource.DataSourceWithConfigure      = (*clusterDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*clusterDataSource)(nil)
)

// clusterDataSource is the data source liqo_cluster: the facts about one leaf.
type clusterDataSource struct{ dataSource }

func newClusterDataSource() datasource.DataSource {
	return &clusterDataSource{dataSource{name: "cluster"}}
}

// Schema implements [datasource.DataSource].
func (d *clusterDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A cluster's ID, versions, address ranges and gateway templates. A cluster that cannot be " +
			"reached or has no Liqo is an error.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the cluster, in the provider's `clusters` or kubeconfig.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"id": shownString("Liqo's cluster ID."),
			"liqo_version": shownString("Version of Liqo, from its controllers' image. Null, with a warning, if it is not " +
				"known."),
			"kubernetes_version": shownString("Version of the API server."),
			"pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Pod CIDRs.",
			},
			"external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "External CIDR: for endpoints that are not pods of this cluster or of a connected one.",
			},
			"internal_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Internal CIDR: for Liqo's gateways and nodes. Null if there is none.",
			},
			"gateway_templates": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Templates for `template` of a gateway, those of servers first. Templates that the " +
					"provider derives for `pods` are left out.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":      shownString("Name."),
					"namespace": shownString("Namespace."),
					"resource":  shownString("Kind of template, as group/version/plural."),
					"role":      shownString("`server` or `client`."),
				}},
			},
			"timeouts": readTimeout(ctx),
		},
	}
}

type clusterDataModel struct {
	Name              types.String           `tfsdk:"name"`
	ID                types.String           `tfsdk:"id"`
	LiqoVersion       types.String           `tfsdk:"liqo_version"`
	KubernetesVersion types.String           `tfsdk:"kubernetes_version"`
	PodCIDRs          types.List             `tfsdk:"pod_cidrs"`
	ExternalCIDR      cidrtypes.IPPrefix     `tfsdk:"external_cidr"`
	InternalCIDR      cidrtypes.IPPrefix     `tfsdk:"internal_cidr"`
	GatewayTemplates  []gatewayTemplateModel `tfsdk:"gateway_templates"`
	Timeouts          timeouts.Value         `tfsdk:"timeouts"`
}

type gatewayTemplateModel struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	Resource  types.String `tfsdk:"resource"`
	Role      types.String `tfsdk:"role"`
}

// Read implements [datasource.DataSource].
func (d *clusterDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readDataSource(ctx, req, resp, func(ctx context.Context, model *clusterDataModel) {
		if d.leaves.unknownAny(model.Name) {
			postpone(req, resp, path.Root("name"))
			return
		}
		resp.Diagnostics.Append(model.describe(ctx, d.leaves.registry.Ask)...)
	})
}

// describe sets the results. It asks the leaf for everything else while it connects.
func (m *clusterDataModel) describe(ctx context.Context, ask shortcut.Ask) diag.Diagnostics {
	var diags diag.Diagnostics
	leaf, err := ask(ctx, m.Name.ValueString(), func(ctx context.Context, leaf *cluster.Leaf) error {
		diags = m.show(ctx, leaf)
		return nil
	})
	if err != nil {
		return diag.Diagnostics{clusterUnread(err)} // of the connection, which is the cause of all others
	}
	m.ID = types.StringValue(string(leaf.ID))
	return diags
}

func clusterUnread(err error) diag.Diagnostic {
	return failureOf("leaf-unreadable", "The cluster can't be read", err).errorAt(path.Root("name"))
}

// show asks the leaf for everything but its ID at the same time.
func (m *clusterDataModel) show(ctx context.Context, leaf *cluster.Leaf) diag.Diagnostics {
	var (
		diags diag.Diagnostics
		group sync.WaitGroup
	)
	group.Go(func() { diags = m.versions(ctx, leaf) })
	err := m.facts(ctx, leaf)
	group.Wait()
	if err != nil {
		diags.Append(clusterUnread(err))
	}
	return diags
}

// versions sets the version of Liqo. A custom build may have no version.
func (m *clusterDataModel) versions(ctx context.Context, leaf *cluster.Leaf) diag.Diagnostics {
	var diags diag.Diagnostics
	version, err := liqo.Version(ctx, leaf)
	if err != nil {
		diags.Append(failureOf("liqo-version-unknown", "The version of Liqo is not known", err,
			"`liqo_version` is null.").warningAt(path.Root("name")))
	}
	m.LiqoVersion = stringOrNull(version)
	return diags
}

// facts sets everything that every leaf has.
func (m *clusterDataModel) facts(ctx context.Context, leaf *cluster.Leaf) error {
	var (
		version   string
		ranges    liqo.Ranges
		templates []liqo.GatewayTemplate
	)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { version, err = leaf.KubernetesVersion(ctx); return err })
	group.Go(func() (err error) { ranges, err = liqo.RangesOf(ctx, leaf); return err })
	group.Go(func() (err error) { templates, err = liqo.GatewayTemplates(ctx, leaf); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	m.KubernetesVersion = types.StringValue(version)
	m.PodCIDRs, m.ExternalCIDR = cidrList(ranges.PodCIDRs), cidrOrNull(ranges.ExternalCIDR)
	m.InternalCIDR = cidrOrNull(ranges.InternalCIDR)
	m.GatewayTemplates = make([]gatewayTemplateModel, len(templates))
	for i, template := range templates {
		m.GatewayTemplates[i] = gatewayTemplateModel{
			Name: types.StringValue(template.Name), Namespace: types.StringValue(template.Namespace),
			Resource: types.StringValue(template.Resource), Role: types.StringValue(string(template.Role)),
		}
	}
	return nil
}
