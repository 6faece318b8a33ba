package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*meshFunction)(nil)

// meshFunction is mesh(names): every pair of a number of clusters, for for_each.
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
		Summary: "Every pair of a number of clusters",
		MarkdownDescription: "Returns a map for the `for_each` of a `liqo_shortcut` that joins each cluster with each other one, once: `{ \"a-b\" = { client = \"a\", " +
			"server = \"b\" }, … }`. Of a pair, the cluster that stands first in the list dials. So a cluster that can't be dialled goes to the front, and new ones to " +
			"the end, where they change no pair that there is.",
		Parameters: []function.Parameter{function.ListParameter{
			Name: "names", ElementType: types.StringType,
			MarkdownDescription: "Names of the clusters: keys of the provider's `clusters`, or contexts of its kubeconfig. Fewer than two give an empty map.",
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

// mesh pairs each name with every later one, keyed by both. It fails for a name that is empty or there twice, and for names with hyphens of which two pairs have
// the same key.
func mesh(names []string) (map[string]ends, error) {
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			return nil, fmt.Errorf("the name at index %d is empty", i)
		}
		if seen[name] {
			return nil, fmt.Errorf("the name %q is there twice; a cluster has no shortcut with itself", name)
		}
		seen[name] = true
	}
	pairs := make(map[string]ends, len(names)*max(len(names)-1, 0)/2)
	for i, client := range names {
		for _, server := range names[i+1:] {
			key := client + "-" + server
			if other, taken := pairs[key]; taken {
				return nil, fmt.Errorf("%q, %q and %q, %q would both have the key %q; give one of the clusters another name in the provider's `clusters`",
					other.Client, other.Server, client, server, key)
			}
			pairs[key] = ends{Client: client, Server: server}
		}
	}
	return pairs, nil
}
