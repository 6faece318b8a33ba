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
		MarkdownDescription: "How clusters are connected: peerings and shortcuts with their status, as data and as a " +
			"picture. A cluster that cannot be read is a warning, and still a node.",
		Attributes: map[string]schema.Attribute{
			"clusters": clustersAttribute("to show"),
			"central": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the central cluster. Default: the cluster with the most peerings.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"edges_of":      edgesOfAttribute(),
			"problems_only": problemsOnlyAttribute(),
			"include_pairs": includePairsAttribute(),
			"nodes":         nodesAttribute(),
			"edges":         edgesAttribute(),
			"pairs":         pairsAttribute(),
			"mermaid": shownString("The picture as a [Mermaid](https://mermaid.js.org) flowchart. Thick arrows are " +
				"shortcuts, thin arrows are peerings, and dotted lines are pairs without a shortcut. A connection that does " +
				"not work is dashed; a broken one is also red and has a ✗. The text changes only if a node, an edge or a " +
				"status does. Null, with a warning, above Mermaid's limits: 500 edges and 50,000 characters."),
			"timeouts": readTimeout(ctx),
		},
	}
}

func edgesOfAttribute() schema.Attribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Names of clusters. Only their edges are shown and, as nodes, only they and their " +
			"neighbors. All of `clusters` are read in any case. Default: all edges.",
		Validators: clusterNames(),
	}
}

func problemsOnlyAttribute() schema.Attribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether to show only edges whose `status` is not `Connected` or `NoNetwork`, their " +
			"clusters and, without `edges_of`, clusters that are not `Ready`. Default: `false`.",
	}
}

func nodesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The clusters, sorted by name.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":         shownString("Name of the cluster."),
			"cluster_id":   shownString("Liqo's cluster ID. Null unless `status` is `Ready`."),
			"liqo_version": shownString("Version of Liqo, from its controllers' image. Null if it is not known."),
			"central":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is the central cluster."},
			"status": shownString("`Ready`: the cluster was read. `Unreachable`: its API server does not answer. " +
				"`NoLiqo`: it has no Liqo. `Error`: another reason, such as a missing permission."),
			"error": shownString("The problem, and what to do. Null if `status` is `Ready`."),
		}},
	}
}

func edgesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Connections between the clusters, sorted by `from` and `to`, at most one for two " +
			"clusters.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kind": shownString("`peering`: the clusters are peered; their network is part of this edge. `shortcut`: a " +
				"network without a peering."),
			"from": shownString("Name of the cluster that consumes resources (peering), or that dials (shortcut)."),
			"to": shownString("Name of the cluster that provides resources (peering), or that exposes the gateway " +
				"(shortcut)."),
			"both_ways": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether each cluster of a peering consumes resources of the other, or the consumer is " +
					"not known yet.",
			},
			"status": shownString("Status of the network, as of `liqo_shortcut`. `NoNetwork`: a peering without a " +
				"network. `Unknown`: one of the clusters cannot be read; such an edge is shown only if that cluster's name " +
				"is its cluster ID."),
			"made_by": shownString(madeByDescription + " Null if there is no network."),
			"latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "Last round-trip time between the gateways, in milliseconds, as measured by the client " +
					"or else by the server. Null without a measurement, as while the tunnel is down.",
			},
			"latency_measured_at": shownString("When `latency_ms` was measured, in RFC 3339: the time of the last answer."),
			"limited_at": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the clusters whose gateways have `allow`, sorted.",
			},
			"services": servicesAttribute(),
		}},
	}
}

// servicesAttribute returns the schema of the Services of an edge.
func servicesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Services whose pods in the one cluster reach those in the other over this network: see " +
			"`liqo_direct_service`. Null if neither cluster shows its EndpointSlices.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"cluster":   shownString("Name of the central cluster; its cluster ID if it is not a node."),
			"namespace": shownString("Namespace of the Service in the central cluster."),
			"name":      shownString("Name of the Service."),
		}},
	}
}
