package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema implements [datasource.DataSource].
func (d *topologyDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How clusters are connected: peerings and shortcuts, each with its status, as data and as " +
			"a picture. A cluster that cannot be read is a warning. It is still a node, and the others are still shown.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("to show"),
			"central": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the central cluster, which the picture highlights. Default: the " +
					"cluster with the most peerings. If there is no peering, there is no central cluster. `nodes` " +
					"shows which one it is.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"edges_of":      edgesOfAttribute(),
			"problems_only": problemsOnlyAttribute(),
			"include_pairs": includePairsAttribute(),
			"nodes":         nodesAttribute(),
			"edges":         edgesAttribute(),
			"pairs":         pairsAttribute(),
			"mermaid": shownString("The picture as a [Mermaid](https://mermaid.js.org) flowchart, which GitHub " +
				"draws in a Markdown block of language `mermaid`. Thick arrows are shortcuts, thin arrows are " +
				"peerings. A connection that does not work is dashed; a broken one is also red and has a ✗. One that " +
				"`allow` limits says so. With `include_pairs`, dotted lines without an arrowhead are pairs without a shortcut, " +
				"with the number of their Services. The text changes only if a node, an edge or a status changes. A picture of " +
				"selected edges says so. Mermaid draws up to 500 edges and 50,000 characters. If the picture would be " +
				"larger, this is null, with a warning: `edges_of` and `problems_only` select a part."),
			"timeouts": readTimeout(ctx),
		},
	}
}

func edgesOfAttribute() schema.Attribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Names of clusters. `edges` and the picture have only the edges of these clusters, and " +
			"`nodes` only these clusters and their neighbors. Default: all edges. All clusters are read in any case; to " +
			"read fewer, use `clusters`.",
		Validators: clusterNames(),
	}
}

func problemsOnlyAttribute() schema.Attribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether `edges` and the picture have only edges with a problem: those whose `status` is not " +
			"`Connected` or `NoNetwork`. `nodes` has the clusters at their ends and, without `edges_of`, also each cluster " +
			"whose `status` is not `Ready`. Default: `false`.",
	}
}

func nodesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The clusters, sorted by name.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":       shownString("Name of the cluster."),
			"cluster_id": shownString("Liqo's cluster ID. Null unless `status` is `Ready`."),
			"liqo_version": shownString("Version of Liqo's controllers, from their image. Null unless `status` is `Ready`, " +
				"and if it cannot be determined."),
			"central": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is the central cluster."},
			"status": shownString("`Ready`: the cluster was read. `Unreachable`: its API server does not answer. " +
				"`NoLiqo`: it answers, but has no Liqo. `Error`: it cannot be read for another reason, such as a missing " +
				"permission, or a name that is not resolved."),
			"error": shownString("The problem, and what to do. Null if `status` is `Ready`."),
		}},
	}
}

func edgesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Connections between the clusters, sorted by `from` and `to`. Two clusters have at " +
			"most one edge.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kind": shownString("`peering`: the two clusters are peered. The edge includes their network, whoever " +
				"made it. `shortcut`: a network without a peering."),
			"from": shownString("Name of the cluster that consumes resources (peering) or dials (shortcut)."),
			"to":   shownString("Name of the cluster that provides resources (peering) or is dialed (shortcut)."),
			"both_ways": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether each cluster of a peering consumes resources of the other, or Liqo does not know " +
					"the consumer yet.",
			},
			"status": shownString("Status of the network: `Connected`, `Connecting`, `Error` or `Disconnected`, " +
				"as of `liqo_shortcut`. `NoNetwork`: a peering without a network. `Unknown`: one of the two " +
				"clusters cannot be read. Edges of such a cluster are shown only if its name is its cluster ID."),
			"made_by": shownString(madeByDescription + " Null if there is no network."),
			"latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "Round-trip time of a packet between the two gateways, in milliseconds, as " +
					"measured by the one that dials or else by the other one. Null if neither has a measurement, as " +
					"while the tunnel is down.",
			},
			"latency_measured_at": shownString("When `latency_ms` was measured: RFC 3339, UTC. This is the time of " +
				"the last answer."),
			"limited_at": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the clusters whose gateways limit what may cross the network, sorted: they have " +
					"`allow`, which `liqo_shortcut` shows. Empty if none does. Both clusters of a `liqo_shortcut` with `allow` " +
					"are in it.",
			},
			"services": servicesAttribute(),
		}},
	}
}

// servicesAttribute returns the schema of the Services of an edge.
func servicesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Services whose pods in one of the two clusters reach those in the other over this network, " +
			"and not through their central cluster; see `liqo_direct_service`. Null if neither cluster shows its " +
			"EndpointSlices to the provider.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"cluster":   shownString("Name of the central cluster; its cluster ID if it is not among the nodes."),
			"namespace": shownString("Namespace of the Service in the central cluster."),
			"name":      shownString("Name of the Service."),
		}},
	}
}
