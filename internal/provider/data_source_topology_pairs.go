package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/boolvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

func includePairsAttribute() schema.Attribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether to show `pairs`, also in the picture. Needs `central` and [another " +
			"role](../guides/permissions.md#services-over-shortcuts) there. A cluster that cannot be read is then an " +
			"error if `pairs` could be incomplete without it. Default: `false`.",
		Validators: []validator.Bool{boolvalidator.AlsoRequires(path.MatchRoot("central"))},
	}
}

func pairsAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Pairs of leaves that share a Service of the central cluster or have a shortcut, sorted by " +
			"`client` and `server`. Two leaves share a Service if one runs its pods and the other runs pods in its " +
			"namespace. `edges_of` and `problems_only` do not limit the list. Null without `include_pairs`.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"client": shownString("Name of the leaf that dials. Without a gateway, this is a proposal: the server is the " +
				"leaf that the central cluster dials. If it dials both or neither, the client is the first by name."),
			"server":   shownString("Name of the leaf that exposes the gateway."),
			"services": pairServicesAttribute(),
			"client_pods": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "Number of pods in `client` in the namespaces of `services`.",
			},
			"server_pods": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "Number of pods in `server` in the namespaces of `services`.",
			},
			"has_shortcut": schema.BoolAttribute{
				Computed: true, MarkdownDescription: "Whether the two have a network, whoever made it.",
			},
			"central_latency_ms": schema.Float64Attribute{
				Computed: true,
				MarkdownDescription: "Round-trip time through the central cluster, in milliseconds: the sum of `latency_ms` " +
					"of the two edges. A shortcut can save this at most. Null if one of them is not known.",
			},
		}},
	}
}

// pairServicesAttribute returns the schema of the Services of a pair.
func pairServicesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Services that the two share, sorted by namespace and name. Empty for a shortcut that no " +
			"Service can use.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"namespace": shownString("Namespace of the Service in the central cluster."),
			"name":      shownString("Name of the Service."),
			"direct": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether the Service requests direct connections, as with `liqo_direct_service`. Only " +
					"then, it takes the shortcut.",
			},
		}},
	}
}

var (
	pairType        = types.ObjectType{AttrTypes: attributeTypes(pairsAttribute().NestedObject.Attributes)}
	pairServiceType = types.ObjectType{AttrTypes: attributeTypes(pairServicesAttribute().NestedObject.Attributes)}
)

// placements asks the central cluster where it runs the pods of its Services, if the pairs are to be shown.
func (d *topologyDataSource) placements(
	ctx context.Context, model *topologyDataModel,
) (all []direct.Placement, err error) {
	if !model.IncludePairs.ValueBool() {
		return nil, nil
	}
	_, err = d.leaves.registry.Ask(ctx, model.Central.ValueString(),
		func(ctx context.Context, leaf *cluster.Leaf) (err error) {
			all, err = direct.Placements(ctx, leaf)
			return err
		})
	return all, err
}

// addPairs adds the pairs to the graph, if they are to be shown.
func (m *topologyDataModel) addPairs(graph *topology.Graph, placements []direct.Placement, err error) diag.Diagnostics {
	if err == nil && m.IncludePairs.ValueBool() {
		err = graph.AddPairs(placements)
	}
	if err == nil {
		return nil
	}
	return diag.Diagnostics{because("pairs-not-known", "The pairs of leaves are not known", err,
		"With an incomplete list, `for_each` would destroy shortcuts.").errorAt(path.Root("include_pairs"))}
}

// pairList returns null for nil.
func pairList(pairs []topology.Pair) types.List {
	if pairs == nil {
		return types.ListNull(pairType)
	}
	values := make([]attr.Value, len(pairs))
	for i, pair := range pairs {
		services := make([]attr.Value, len(pair.Services))
		for i, service := range pair.Services {
			services[i] = types.ObjectValueMust(pairServiceType.AttrTypes, map[string]attr.Value{
				"namespace": types.StringValue(service.Namespace),
				"name":      types.StringValue(service.Name),
				"direct":    types.BoolValue(service.Direct),
			})
		}
		values[i] = types.ObjectValueMust(pairType.AttrTypes, map[string]attr.Value{
			"client":             types.StringValue(pair.Client),
			"server":             types.StringValue(pair.Server),
			"services":           types.ListValueMust(pairServiceType, services),
			"client_pods":        types.Int64Value(int64(pair.ClientPods)),
			"server_pods":        types.Int64Value(int64(pair.ServerPods)),
			"has_shortcut":       types.BoolValue(pair.HasShortcut),
			"central_latency_ms": milliseconds(pair.CentralLatency),
		})
	}
	return types.ListValueMust(pairType, values)
}
