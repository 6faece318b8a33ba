package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var (
	_ datasource.DataSourceWithConfigure      = (*shortcutsDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*shortcutsDataSource)(nil)
)

// shortcutsDataSource is the data source liqo_shortcuts: every network between a set of clusters.
type shortcutsDataSource struct{ dataSource }

func newShortcutsDataSource() datasource.DataSource {
	return &shortcutsDataSource{dataSource{name: "shortcuts"}}
}

// Schema implements [datasource.DataSource].
func (d *shortcutsDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Every network between two of the given clusters: who made it, who owns it, and whether it " +
			"works. A cluster that cannot be read is a warning.",
		Attributes: map[string]schema.Attribute{
			"clusters":  clustersAttribute("between which to look for networks"),
			"shortcuts": linksAttribute(),
			"unreachable": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the clusters that could not be read, sorted. A cluster without Liqo is not " +
					"one of them.",
			},
			"timeouts": readTimeout(ctx),
		},
	}
}

func linksAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The networks, sorted by `client` and `server`.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"client":            shownString("Name of the cluster that dials. Without a gateway, the first of the two names."),
			"server":            shownString("Name of the cluster that exposes the gateway."),
			"client_cluster_id": shownString("Liqo's cluster ID of the client."),
			"server_cluster_id": shownString("Liqo's cluster ID of the server."),
			"status": shownString("`Connected`: both gateways report the tunnel as up. `Connecting`: it is not up, or a " +
				"gateway has stopped reporting. `Error`: a gateway reports that it failed. `Disconnected`: something is " +
				"missing or wrong. `Unknown`: one of the clusters cannot be read; such a network is shown only if that " +
				"cluster's name is its cluster ID."),
			"made_by": shownString(madeByDescription),
			"owners":  ownersAttribute(),
			"mtu": schema.Int32Attribute{
				Computed:            true,
				MarkdownDescription: "MTU of the tunnel, in bytes. Null without a gateway.",
			},
			"server_endpoint": shownEndpoint("Address and port of the server's gateway. Null until it reports them."),
			"latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "Last round-trip time between the gateways, in milliseconds, as measured by the client " +
					"or else by the server. Null without a measurement.",
			},
			"latency_measured_at": shownString("When `latency_ms` was measured, in RFC 3339."),
			"import_block": shownString("An `import` block, for `terraform plan -generate-config-out`. Use it only if " +
				"`owners` is empty, or if the owner's state is lost or forgets the shortcut: otherwise both states manage " +
				"the network, and a destroy in one takes it from the other. The first update records the new owner. Null if " +
				"one of the clusters cannot be read."),
		}},
	}
}

type shortcutsDataModel struct {
	Clusters    types.List     `tfsdk:"clusters"`
	Shortcuts   []linkModel    `tfsdk:"shortcuts"`
	Unreachable []types.String `tfsdk:"unreachable"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

// linkModel is one of its `shortcuts`.
type linkModel struct {
	Client            types.String  `tfsdk:"client"`
	Server            types.String  `tfsdk:"server"`
	ClientClusterID   types.String  `tfsdk:"client_cluster_id"`
	ServerClusterID   types.String  `tfsdk:"server_cluster_id"`
	Status            types.String  `tfsdk:"status"`
	MadeBy            types.String  `tfsdk:"made_by"`
	Owners            []ownerModel  `tfsdk:"owners"`
	MTU               types.Int32   `tfsdk:"mtu"`
	ServerEndpoint    types.Object  `tfsdk:"server_endpoint"`
	LatencyMS         types.Float64 `tfsdk:"latency_ms"`
	LatencyMeasuredAt types.String  `tfsdk:"latency_measured_at"`
	ImportBlock       types.String  `tfsdk:"import_block"`
}

// Read implements [datasource.DataSource].
func (d *shortcutsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readDataSource(ctx, req, resp, func(ctx context.Context, model *shortcutsDataModel) {
		names, known := d.clusters(ctx, req, resp, model.Clusters)
		if !known {
			return
		}
		survey, diags := d.leaves.survey(ctx, names, model.Clusters)
		resp.Diagnostics.Append(diags...)
		model.show(ctx, survey)
	})
}

func (m *shortcutsDataModel) show(ctx context.Context, survey shortcut.Survey) {
	m.Shortcuts, m.Unreachable = []linkModel{}, []types.String{}
	taken := map[string]bool{}
	for _, link := range survey.Networks() {
		m.Shortcuts = append(m.Shortcuts, linkModel{
			Client: types.StringValue(link.Client.Name), ClientClusterID: types.StringValue(link.Client.ID),
			Server: types.StringValue(link.Server.Name), ServerClusterID: types.StringValue(link.Server.ID),
			Status: types.StringValue(string(link.Status)),
			MadeBy: types.StringValue(string(link.MadeBy)), Owners: ownersOf(link.Owners),
			MTU: mtuOrNull(link.MTU), ServerEndpoint: objectOf(ctx, endpointTypes, link.ServerEndpoint),
			LatencyMS: milliseconds(link.Latency), LatencyMeasuredAt: measuredAt(link.Latency),
			ImportBlock: stringOrNull(importBlock(link, taken)),
		})
	}
	for _, leaf := range survey.Leaves {
		if leaf.Err != nil && !cluster.NoLiqo(leaf.Err) { // without Liqo there is no network
			m.Unreachable = append(m.Unreachable, types.StringValue(leaf.Name))
		}
	}
}

// ownersAttribute returns the schema of `owners` of a network in liqo_shortcuts.
func ownersAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Resources of this provider that own objects of the network, those with most objects " +
			"first. Two `liqo_shortcut` are [a fault](../guides/troubleshooting.md#owners-mixed).",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"owner_id": shownString("The resource's `owner_id`."),
			"resource": shownString("Type of the resource, such as `liqo_shortcut`."),
			"objects": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "The objects that it owns, each with its leaf.",
			},
			"created_by": shownString("User and host that created it. Null if this is not recorded."),
			"created_at": shownString("When it was created, in RFC 3339."),
			"directory":  shownString("Name of the directory in which Terraform ran."),
			"workspace":  shownString("Terraform workspace."),
			"complete": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether its create has completed. The next create of the same pair continues one that " +
					"was killed.",
			},
		}},
	}
}

// ownerModel is one of the `owners`.
type ownerModel struct {
	OwnerID   types.String   `tfsdk:"owner_id"`
	Resource  types.String   `tfsdk:"resource"`
	Objects   []types.String `tfsdk:"objects"`
	CreatedBy types.String   `tfsdk:"created_by"`
	CreatedAt types.String   `tfsdk:"created_at"`
	Directory types.String   `tfsdk:"directory"`
	Workspace types.String   `tfsdk:"workspace"`
	Complete  types.Bool     `tfsdk:"complete"`
}

func ownersOf(owners []shortcut.Ownership) []ownerModel {
	models := make([]ownerModel, len(owners))
	for i, owner := range owners {
		models[i] = ownerModel{
			OwnerID: types.StringValue(owner.Token), Resource: types.StringValue(owner.Resource.String()),
			CreatedBy: stringOrNull(owner.Origin.CreatedBy), CreatedAt: timeOrNull(owner.Origin.CreatedAt),
			Directory: stringOrNull(owner.Origin.Directory), Workspace: stringOrNull(owner.Origin.Workspace),
			Complete: types.BoolValue(owner.Complete),
		}
		for _, object := range owner.Objects {
			models[i].Objects = append(models[i].Objects, types.StringValue(object))
		}
	}
	return models
}

// importBlock returns an import block for a network, whoever owns it. It takes the name of the resource. It is empty
// for a network with a leaf that can't be read, because its import would fail.
func importBlock(link shortcut.Link, taken map[string]bool) string {
	if link.Status == shortcut.Unknown {
		return ""
	}
	return shortcut.ImportBlock("", resourceName(link.Client.Name+"_"+link.Server.Name, taken),
		link.Client.ID, link.Server.ID)
}

// resourceName returns a name of a Terraform resource that is like a text, and not taken yet. It takes the name.
func resourceName(text string, taken map[string]bool) string {
	name := shortcut.ResourceName(text)
	unique := name
	for i := 2; taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	taken[unique] = true
	return unique
}
