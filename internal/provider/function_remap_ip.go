package provider

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

var _ function.Function = (*remapIPFunction)(nil)

// remapIPFunction implements remap_ip(ip, from, to), which returns the address of a pod after Liqo has remapped its
// range.
type remapIPFunction struct{}

func newRemapIPFunction() function.Function { return &remapIPFunction{} }

// Metadata implements [function.Function].
func (*remapIPFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "remap_ip"
}

// Definition implements [function.Function].
func (*remapIPFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Address after a remapping",
		MarkdownDescription: "Moves an address from one range to another and keeps its host part, as Liqo does. With " +
			"`pod_cidrs` and `remapped_pod_cidrs` of a `liqo_shortcut`, it returns the address at which the remote " +
			"cluster reaches a pod.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "ip", MarkdownDescription: "IPv4 or IPv6 address, within `from`."},
			function.StringParameter{Name: "from", MarkdownDescription: "Range of the address, in CIDR notation."},
			function.StringParameter{
				Name:                "to",
				MarkdownDescription: "New range, in CIDR notation, of the same IP version and prefix length.",
			},
		},
		Return: function.StringReturn{},
	}
}

// Run implements [function.Function].
func (*remapIPFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var ip, from, to string
	if resp.Error = req.Arguments.Get(ctx, &ip, &from, &to); resp.Error != nil {
		return
	}
	remapped, funcErr := remapIP(ip, from, to)
	if funcErr != nil {
		resp.Error = funcErr
		return
	}
	resp.Error = resp.Result.Set(ctx, remapped)
}

// remapIP replaces the network part of an address. An error refers to the wrong argument.
func remapIP(ip, from, to string) (string, *function.FuncError) {
	addr, err := netip.ParseAddr(ip)
	if err != nil || addr.Zone() != "" {
		return "", function.NewArgumentFuncError(0, fmt.Sprintf("%q is not an IP address.", ip))
	}
	source, funcErr := cidrArgument(1, from)
	if funcErr != nil {
		return "", funcErr
	}
	target, funcErr := cidrArgument(2, to)
	switch {
	case funcErr != nil:
		return "", funcErr
	case !source.Contains(addr):
		return "", function.NewArgumentFuncError(0, fmt.Sprintf("%s is not in %s.", addr, source))
	case source.Addr().BitLen() != target.Addr().BitLen():
		return "", function.NewArgumentFuncError(2, fmt.Sprintf("%s and %s have different IP versions.", source, target))
	case source.Bits() != target.Bits():
		return "", function.NewArgumentFuncError(2, fmt.Sprintf(
			"%s and %s have different sizes. Liqo remaps a range to one of the same size.", source, target))
	}
	host, network := addr.AsSlice(), target.Addr().AsSlice()
	for i := range host {
		mask := byte(0xff << max(0, 8-max(0, target.Bits()-8*i))) // the bits of this byte that belong to the network
		host[i] = network[i]&mask | host[i]&^mask
	}
	remapped, _ := netip.AddrFromSlice(host)
	return remapped.String(), nil
}

// cidrArgument parses an argument of a function. It ignores the host bits.
func cidrArgument(position int64, text string) (netip.Prefix, *function.FuncError) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, function.NewArgumentFuncError(position, fmt.Sprintf(
			"%q is not an address range in CIDR notation, such as 10.1.0.0/16.", text))
	}
	return prefix.Masked(), nil
}
