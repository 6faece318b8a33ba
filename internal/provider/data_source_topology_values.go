package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

// The lists of liqo_topology are values of the framework, and not structs. For a thousand edges, the framework takes
// almost three times as long to read structs by reflection.
var (
	nodeType    = types.ObjectType{AttrTypes: attributeTypes(nodesAttribute().NestedObject.Attributes)}
	edgeType    = types.ObjectType{AttrTypes: attributeTypes(edgesAttribute().NestedObject.Attributes)}
	serviceType = types.ObjectType{AttrTypes: attributeTypes(servicesAttribute().NestedObject.Attributes)}
)

func nodeList(nodes []topology.Node, versions map[string]string) types.List {
	values := make([]attr.Value, len(nodes))
	for i, node := range nodes {
		problem := types.StringNull()
		if node.Err != nil {
			problem = types.StringValue(node.Err.Error())
		}
		values[i] = types.ObjectValueMust(nodeType.AttrTypes, map[string]attr.Value{
			"name":         types.StringValue(node.Name),
			"cluster_id":   stringOrNull(node.ClusterID),
			"liqo_version": stringOrNull(versions[node.Name]),
			"central":      types.BoolValue(node.Central),
			"status":       types.StringValue(string(node.Status)),
			"error":        problem,
		})
	}
	return types.ListValueMust(nodeType, values)
}

func edgeList(edges []topology.Edge) types.List {
	values := make([]attr.Value, len(edges))
	for i, edge := range edges {
		values[i] = types.ObjectValueMust(edgeType.AttrTypes, map[string]attr.Value{
			"kind":                types.StringValue(string(edge.Kind)),
			"from":                types.StringValue(edge.From),
			"to":                  types.StringValue(edge.To),
			"both_ways":           types.BoolValue(edge.BothWays),
			"status":              types.StringValue(string(edge.Status)),
			"made_by":             stringOrNull(string(edge.MadeBy)),
			"latency_ms":          milliseconds(edge.Latency),
			"latency_measured_at": measuredAt(edge.Latency),
			"limited_at":          nameList(edge.LimitedAt),
			"services":            serviceList(edge.Services),
		})
	}
	return types.ListValueMust(edgeType, values)
}

func nameList(names []string) types.List {
	values := make([]attr.Value, len(names))
	for i, name := range names {
		values[i] = types.StringValue(name)
	}
	return types.ListValueMust(types.StringType, values)
}

// serviceList returns null for nil.
func serviceList(services []topology.Service) types.List {
	if services == nil {
		return types.ListNull(serviceType)
	}
	values := make([]attr.Value, len(services))
	for i, service := range services {
		values[i] = types.ObjectValueMust(serviceType.AttrTypes, map[string]attr.Value{
			"cluster":   types.StringValue(service.Cluster),
			"namespace": types.StringValue(service.Namespace),
			"name":      types.StringValue(service.Name),
		})
	}
	return types.ListValueMust(serviceType, values)
}
