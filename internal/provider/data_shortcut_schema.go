package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Schema implements [datasource.DataSource].
func (d *shortcutDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The network between two clusters as it is now, whoever made it: a `liqo_shortcut`, liqoctl or a peering. Two clusters without one " +
			"are no error: the status is `Disconnected`. A cluster that can't be reached is.",
		Attributes: map[string]schema.Attribute{
			"client": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the cluster that dials: a key of the provider's `clusters`, or a context of its kubeconfig. A network in the opposite " +
					"direction is found, too; see `reversed`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"server": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the cluster that exposes the gateway: a key of the provider's `clusters`, or a context of its kubeconfig.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"id":                shownString("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client_cluster_id": shownString("Liqo's cluster ID of the client."),
			"server_cluster_id": shownString("Liqo's cluster ID of the server."),
			"client_namespace":  shownString("Namespace in which the client keeps the objects of the network. Null where it has none."),
			"server_namespace":  shownString("Namespace in which the server keeps the objects of the network. Null where it has none."),
			"status": shownString("`Connected`: both ends report the tunnel as up. `Connecting`: everything is in place and the tunnel is not up. `Error`: an end " +
				"reports that the tunnel failed. `Disconnected`: something is missing, or all of it."),
			"reversed": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether the network was made in the opposite direction: `server` dials `client`, and `server_endpoint` is where the gateway " +
					"of `client` can be reached. All other attributes keep to the names as given.",
			},
			"made_by":         shownString(madeByDescription + " Null where there is no network."),
			"mtu":             schema.Int32Attribute{Computed: true, MarkdownDescription: "MTU of the tunnel, in bytes. Null while there is no gateway."},
			"server_endpoint": shownEndpoint("Where the gateway that is dialled can be reached. Null until it says so."),
			"client_network":  shownNetwork("client", "server"),
			"server_network":  shownNetwork("server", "client"),
			"client_end":      endAttribute("client"),
			"server_end":      endAttribute("server"),
			"timeouts":        readTimeout(ctx),
		},
	}
}

func endAttribute(leaf string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The network as the " + leaf + " sees it.",
		Attributes: map[string]schema.Attribute{
			"status": shownString("`Connected`, `Connecting` or `Error`, as the gateway reports; `Disconnected` where there is no gateway."),
			"latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "How long a packet takes to the other gateway and back, in milliseconds, when it was last measured. Null where it was not, as " +
					"while the tunnel is down.",
			},
			"latency_measured_at": shownString("When `latency_ms` was measured: RFC 3339, UTC."),
			"gateway_pods": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Pods that the gateway runs in, sorted by name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":      shownString("Name of the pod."),
					"namespace": shownString("Namespace of the pod."),
					"node":      shownString("Node that the pod runs on. Null until it is scheduled."),
					"active": schema.BoolAttribute{
						Computed: true, MarkdownDescription: "Whether it holds the tunnel. Of a gateway's replicas one does, and the others stand by.",
					},
				}},
			},
		},
	}
}
