package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

// Schema implements [datasource.DataSource].
func (d *topologyDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How a number of clusters are joined: peerings and shortcuts, each with its status, as data and as a picture for Mermaid and Graphviz. " +
			"A cluster that can't be read is a node of its own and a warning, and hides nothing of the others.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("to show"),
			"central": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the central cluster, which the picture sets apart. Default: the cluster that most others are peered with; none where " +
					"nothing is peered. `nodes` tells which it is.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"direction": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Where the picture goes: `LR`, `TB`, `RL` or `BT`, for left to right, top to bottom and so on. Default: `LR`.",
				Validators: []validator.String{stringvalidator.OneOf(string(topology.LeftToRight), string(topology.TopToBottom),
					string(topology.RightToLeft), string(topology.BottomToTop))},
			},
			"nodes": nodesAttribute(),
			"edges": edgesAttribute(),
			"mermaid": shownString("The picture as a flowchart in [Mermaid](https://mermaid.js.org)'s language, which GitHub draws in a Markdown block of language " +
				"`mermaid`. Thick arrows are shortcuts, thin ones peerings; what does not work is dashed, and red with a ✗ where it is broken. It changes only " +
				"when a node, an edge or a status does. GitHub draws up to 500 edges."),
			"dot":      shownString("The same picture in the language of [Graphviz](https://graphviz.org)'s `dot`, which has no such limit."),
			"timeouts": readTimeout(ctx),
		},
	}
}

func nodesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The clusters, sorted by name.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":       shownString("Name of the cluster."),
			"cluster_id": shownString("Liqo's cluster ID. Null unless `status` is `Ready`."),
			"central":    schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is the central cluster."},
			"status": shownString("`Ready`. Or `Unreachable`: its API server does not answer. `NoLiqo`: it answers, and has no Liqo. `Error`: it answers, and does " +
				"not let itself be read, for instance for want of a permission."),
			"error": shownString("What is wrong, and what to do. Null if `status` is `Ready`."),
		}},
	}
}

func edgesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What joins them, sorted by `from` and `to`: at most one edge for two clusters.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kind": shownString("`peering`: the two clusters are peered; their network, whoever made it, is part of this edge. `shortcut`: a network without a peering."),
			"from": shownString("Name of the cluster that consumes resources, or of the one that dials."),
			"to":   shownString("Name of the cluster that provides resources, or of the one that is dialled."),
			"both_ways": schema.BoolAttribute{
				Computed: true, MarkdownDescription: "Whether, in a peering, each consumes the other's resources, or Liqo does not know yet who does.",
			},
			"status": shownString("Of the network: `Connected`, `Connecting`, `Error` or `Disconnected`, as of `liqo_shortcut`. `NoNetwork`: a peering without one. " +
				"`Unknown`: one of the two clusters can't be read; such an edge shows only where that cluster's name is its cluster ID."),
			"made_by": shownString(madeByDescription + " Null where there is no network."),
		}},
	}
}
