package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema implements [datasource.DataSource].
func (d *shortcutsDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Every network between two of a number of clusters, whoever made it, and whether this provider did. A cluster that can't be read is a " +
			"warning, and hides nothing of the others.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("between which to look for networks"),
			"shortcuts": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The networks, sorted by `client` and `server`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"client":            shownString("Name of the cluster that dials. Where no gateway is left, the first of the two by name."),
					"server":            shownString("Name of the cluster that exposes the gateway."),
					"client_cluster_id": shownString("Liqo's cluster ID of the client."),
					"server_cluster_id": shownString("Liqo's cluster ID of the server."),
					"status": shownString("`Connected`: both ends report the tunnel as up. `Connecting`: everything is in place and the tunnel is not up. `Error`: " +
						"an end reports that the tunnel failed. `Disconnected`: something is missing. `Unknown`: one of the two clusters can't be read; this is " +
						"what the other has, and shows only where a cluster's name is its cluster ID."),
					"made_by": shownString(madeByDescription),
					"managed": schema.BoolAttribute{
						Computed: true, MarkdownDescription: "Whether this provider made or adopted all of it, be it in this configuration or another.",
					},
					"owner": schema.SingleNestedAttribute{
						Computed: true,
						MarkdownDescription: "The `liqo_shortcut` that owns the network, as the leaves know it. Null where none does, or where the two leaves name " +
							"different ones.",
						Attributes: map[string]schema.Attribute{
							"who":       shownString("User and host that made it."),
							"folder":    shownString("Name of the folder in which Terraform ran."),
							"workspace": shownString("Workspace of Terraform."),
							"made_at":   shownString("When it was made: RFC 3339, UTC."),
							"complete": schema.BoolAttribute{
								Computed: true,
								MarkdownDescription: "Whether the shortcut was once there as a whole. `false` while it is made, and after an apply was killed: the next create of " +
									"the same pair goes on from there.",
							},
						},
					},
					"mtu":             schema.Int32Attribute{Computed: true, MarkdownDescription: "MTU of the tunnel, in bytes. Null while there is no gateway."},
					"server_endpoint": shownEndpoint("Where the server's gateway can be reached. Null until it says so."),
					"latency_ms": schema.Float64Attribute{
						Computed: true,
						MarkdownDescription: "How long a packet takes from one gateway to the other and back, in milliseconds, as the client has measured it, else as " +
							"the server has. Null where neither has.",
					},
					"latency_measured_at": shownString("When `latency_ms` was measured: RFC 3339, UTC."),
				}},
			},
			"unreachable": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the clusters that could not be read, sorted. One without Liqo is none of them: it has no network.",
			},
			"timeouts": readTimeout(ctx),
		},
	}
}
