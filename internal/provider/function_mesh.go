package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*meshFunction)(nil)

// meshFunction implements mesh(names, undialable...), which returns every pair of a list of clusters, for for_each.
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
		MarkdownDescription: "Returns every pair of clusters, for the `for_each` of a `liqo_shortcut`: `{ \"a-b\" = { " +
			"client = \"a\", server = \"b\" }, … }`. The first by name dials, unless nobody can dial the other one. " +
			"Another cluster adds pairs and changes none. The order of the list does not matter.",
		Parameters: []function.Parameter{function.ListParameter{
			Name: "names", ElementType: types.StringType,
			MarkdownDescription: "Names of the clusters. With fewer than two, the map is empty.",
		}},
		VariadicParameter: function.StringParameter{
			Name: "undialable",
			MarkdownDescription: "Name of a cluster that no other one can dial, for example because it is behind a NAT. " +
				"It dials in each of its pairs. There can be only one.",
		},
		Return: function.MapReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"client": types.StringType, "server": types.StringType,
		}}},
	}
}

// Run implements [function.Function].
func (*meshFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var names []types.String // of which one may be null
	var undialable []string
	if resp.Error = req.Arguments.Get(ctx, &names, &undialable); resp.Error != nil {
		return
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = name.ValueString()
	}
	pairs, err := mesh(texts, undialable...)
	if err != nil {
		resp.Error = err
		return
	}
	resp.Error = resp.Result.Set(ctx, pairs)
}

// mesh returns the pairs of the names. The key of a pair is both names, sorted and joined by a hyphen. The first one
// dials, unless the second one is undialable. An error refers to the wrong argument.
func mesh(names []string, undialable ...string) (map[string]ends, *function.FuncError) {
	if err := checkNames(names); err != nil {
		return nil, err
	}
	for i, name := range undialable {
		at := int64(1 + i)
		if !slices.Contains(names, name) {
			return nil, function.NewArgumentFuncError(at, fmt.Sprintf("%q is not one of the names.", name))
		}
		if other := undialable[0]; name != other {
			return nil, function.NewArgumentFuncError(at, fmt.Sprintf("Neither %q nor %q can be dialed, so nothing can "+
				"connect the two. Leave one of them out of the mesh, and connect it with the others in blocks of its own.",
				other, name))
		}
	}
	names = slices.Sorted(slices.Values(names))
	pairs := make(map[string]ends, len(names)*max(len(names)-1, 0)/2)
	for i, first := range names {
		for _, second := range names[i+1:] {
			key, pair := first+"-"+second, ends{Client: first, Server: second}
			if slices.Contains(undialable, second) {
				pair = ends{Client: second, Server: first}
			}
			if other, taken := pairs[key]; taken {
				return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The pair %q, %q and the pair %q, %q would both have "+
					"the key %q. Rename one of the clusters in the provider's `clusters`.",
					other.Client, other.Server, pair.Client, pair.Server, key))
			}
			pairs[key] = pair
		}
	}
	return pairs, nil
}

// checkNames returns an error if a name is empty or occurs twice.
func checkNames(names []string) *function.FuncError {
	for i, name := range names {
		if name == "" {
			return function.NewArgumentFuncError(0, fmt.Sprintf("The name at index %d is null or empty.", i))
		}
		if slices.Contains(names[:i], name) {
			return function.NewArgumentFuncError(0,
				fmt.Sprintf("The name %q occurs twice. A cluster has no shortcut with itself.", name))
		}
	}
	return nil
}
