package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

var _ function.Function = (*cidrsOverlapFunction)(nil)

// cidrsOverlapFunction implements cidrs_overlap(a, b), which reports whether Liqo would remap one of two ranges.
type cidrsOverlapFunction struct{}

func newCIDRsOverlapFunction() function.Function { return &cidrsOverlapFunction{} }

// Metadata implements [function.Function].
func (*cidrsOverlapFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "cidrs_overlap"
}

// Definition implements [function.Function].
func (*cidrsOverlapFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: "Whether two address ranges overlap",
		MarkdownDescription: "Reports whether two address ranges have an address in common. An IPv4 range and an IPv6 " +
			"range never have. Clusters with overlapping pod CIDRs can be connected: Liqo remaps the CIDRs.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "a", MarkdownDescription: "Range in CIDR notation."},
			function.StringParameter{Name: "b", MarkdownDescription: "Range in CIDR notation."},
		},
		Return: function.BoolReturn{},
	}
}

// Run implements [function.Function].
func (*cidrsOverlapFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var a, b string
	if resp.Error = req.Arguments.Get(ctx, &a, &b); resp.Error != nil {
		return
	}
	one, errA := cidrArgument(0, a)
	other, errB := cidrArgument(1, b)
	if resp.Error = function.ConcatFuncErrors(errA, errB); resp.Error != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, one.Overlaps(other))
}
