package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*meshFunction)(nil)

// meshFunction implements mesh(names), which returns every pair of a list of clusters, for for_each.
type meshFunction struct{}

func newMeshFunction() function.Function { return &meshFunction{} }

// ends are the two leaves of one shortcut.
type ends struct {
	Client string `tfsdk:"client"`
	Server string `tfsdk:"server"`
}

// Metadata implements [function.Function].
func (*meshFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "mesh"
}

// Definition implements [function.Function].
func (*meshFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Every pair of a list of clusters",
		MarkdownDescription: "Returns a map for the `for_each` of a `liqo_shortcut` that connects each cluster to " +
			"every other cluster: `{ \"a-b\" = { client = \"a\", server = \"b\" }, … }`. In each pair, the " +
			"cluster that is first in the list dials. So put clusters that cannot be dialed at the start of the " +
			"list. A new cluster may stand anywhere in it. Keep the order of the others: a pair in the other order is " +
			"another shortcut.",
		Parameters: []function.Parameter{function.ListParameter{
			Name: "names", ElementType: types.StringType,
			MarkdownDescription: "Names of the clusters: keys of the provider's `clusters`, or contexts of its " +
				"kubeconfig. With fewer than two names, the map is empty.",
		}},
		Return: function.MapReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"client": types.StringType, "server": types.StringType,
		}}},
	}
}

// Run implements [function.Function].
func (*meshFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var names []string
	if resp.Error = req.Arguments.Get(ctx, &names); resp.Error != nil {
		return
	}
	pairs, err := mesh(names)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, detail(err))
		return
	}
	resp.Error = resp.Result.Set(ctx, pairs)
}

// mesh pairs each name with every later one. The key of a pair is both names, joined by a hyphen. It fails if a name is
// empty or occurs twice, or if two pairs have the same key because names contain hyphens.
func mesh(names []string) (map[string]ends, error) {
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			return nil, fmt.Errorf("the name at index %d is empty", i)
		}
		if seen[name] {
			return nil, fmt.Errorf("the name %q occurs twice; a cluster has no shortcut with itself", name)
		}
		seen[name] = true
	}
	pairs := make(map[string]ends, len(names)*max(len(names)-1, 0)/2)
	for i, client := range names {
		for _, server := range names[i+1:] {
			key := client + "-" + server
			if other, taken := pairs[key]; taken {
				return nil, fmt.Errorf("the pair %q, %q and the pair %q, %q would both have the key %q; rename "+
					"one of the clusters in the provider's `clusters`",
					other.Client, other.Server, client, server, key)
			}
			pairs[key] = ends{Client: client, Server: server}
		}
	}
	return pairs, nil
}
