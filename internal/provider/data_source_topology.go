package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/topology"
)

var (
	_ datasource.DataSourceWithConfigure      = (*topologyDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*topologyDataSource)(nil)
)

// topologyDataSource is the data source liqo_topology: the clusters, how they are connected, and a picture of it.
type topologyDataSource struct{ dataSource }

func newTopologyDataSource() datasource.DataSource {
	return &topologyDataSource{dataSource{name: "topology"}}
}

type topologyDataModel struct {
	Clusters     types.List     `tfsdk:"clusters"`
	Central      types.String   `tfsdk:"central"`
	EdgesOf      []string       `tfsdk:"edges_of"`
	ProblemsOnly types.Bool     `tfsdk:"problems_only"`
	IncludePairs types.Bool     `tfsdk:"include_pairs"`
	Nodes        types.List     `tfsdk:"nodes"`
	Edges        types.List     `tfsdk:"edges"`
	Pairs        types.List     `tfsdk:"pairs"`
	Mermaid      types.String   `tfsdk:"mermaid"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

// Read implements [datasource.DataSource].
func (d *topologyDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readDataSource(ctx, req, resp, func(ctx context.Context, model *topologyDataModel) {
		names, known := d.clusters(ctx, req, resp, model.Clusters)
		if !known {
			return
		}
		if resp.Diagnostics.Append(model.check(names)...); resp.Diagnostics.HasError() {
			return
		}
		var versions map[string]string
		var uses map[string][]direct.Use
		var placements []direct.Placement
		var unplaced error
		var group sync.WaitGroup
		group.Go(func() {
			versions = askAll(ctx, d.leaves, names, liqo.Version)
		})
		group.Go(func() { uses = askAll(ctx, d.leaves, names, direct.Uses) })
		group.Go(func() { placements, unplaced = d.placements(ctx, model) })
		survey, diags := d.leaves.survey(ctx, names, model.Clusters)
		resp.Diagnostics.Append(diags...)
		group.Wait()
		graph := topology.New(survey, model.Central.ValueString())
		graph.AddServices(uses)
		resp.Diagnostics.Append(model.addPairs(&graph, placements, unplaced)...)
		resp.Diagnostics.Append(model.show(graph, versions)...)
	})
}

// check returns an error for each argument with a name that is not one of the clusters.
func (m *topologyDataModel) check(clusters []string) diag.Diagnostics {
	var diags diag.Diagnostics
	refuse := func(attribute path.Path, name string) {
		diags.Append(invalid("Not one of the clusters",
			fmt.Sprintf("The clusters of this topology are %q. %q is not one of them. A cluster with several names counts "+
				"once, by the first of its names.", clusters, name)).errorAt(attribute))
	}
	if central := m.Central.ValueString(); central != "" && !slices.Contains(clusters, central) {
		refuse(path.Root("central"), central)
	}
	for i, name := range m.EdgesOf {
		if !slices.Contains(clusters, name) {
			refuse(path.Root("edges_of").AtListIndex(i), name)
		}
	}
	return diags
}

// show sets the results. versions has the version of Liqo by the name of a node, if it is known. A cluster with several
// names is a node by the first of them, so another one is an error here. A picture that is too large is a warning.
func (m *topologyDataModel) show(graph topology.Graph, versions map[string]string) diag.Diagnostics {
	names := make([]string, len(graph.Nodes))
	for i, node := range graph.Nodes {
		names[i] = node.Name
	}
	if diags := m.check(names); diags.HasError() {
		return diags
	}
	m.Pairs = pairList(graph.Pairs)
	graph = graph.Select(topology.Filter{EdgesOf: m.EdgesOf, ProblemsOnly: m.ProblemsOnly.ValueBool()})
	m.Nodes, m.Edges = nodeList(graph.Nodes, versions), edgeList(graph.Edges)
	m.Mermaid = stringOrNull(graph.Mermaid())
	if m.Mermaid.IsNull() {
		return diag.Diagnostics{tooLargeForAPicture(graph.Lines())}
	}
	return nil
}

func tooLargeForAPicture(edges int) diag.Diagnostic {
	return report("picture-too-large", "The topology is too large for a picture",
		fmt.Sprintf("Mermaid draws up to 500 edges and 50,000 characters, also on GitHub. A picture of these %d edges is "+
			"larger, so `mermaid` is null. `nodes` and `edges` are complete. For a picture of a part, name some clusters in "+
			"`edges_of`, or set `problems_only = true`.", edges)).warningAt(path.Root("mermaid"))
}

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
