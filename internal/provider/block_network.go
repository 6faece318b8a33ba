package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// networkAttribute is the `client_network` or `server_network` of a liqo_shortcut.
func networkAttribute(leaf, other string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Address ranges of the " + leaf + ", and those at which the " + other + " reaches them. A " +
			"change interrupts traffic to the ranges that change. With Liqo before 1.2 on the " + other + ", it replaces " +
			"the shortcut.",
		PlanModifiers: []planmodifier.Object{objectplanmodifier.UseStateForUnknown()},
		Attributes: map[string]schema.Attribute{
			"pod_cidrs": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Pod CIDRs to announce to the " + other + ", IPv4 only. Default: all of the " + leaf +
					". Parts of them isolate the other pods, in both directions.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1),
					listvalidator.NoNullValues(),
					listvalidator.ValueStringsAre(cidr(), wholeRange()),
				},
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"external_cidr": schema.StringAttribute{
				Optional: true, Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "External CIDR to announce to the " + other + ", for addresses outside the pod CIDRs: " +
					"that of the " + leaf + ", or a part of it that begins with the same address. Default: all of it.",
				Validators:    []validator.String{wholeRange()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"remapped_pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Ranges at which the " + other + " reaches `pod_cidrs`, in the same order.",
				PlanModifiers:       []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"remapped_external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Range at which the " + other + " reaches `external_cidr`.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

// shownNetwork is the `client_network` or `server_network` of a data source.
func shownNetwork(leaf, other string) datasourceschema.Attribute {
	return datasourceschema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "Address ranges of the " + leaf + ", and those at which the " + other + " reaches them. " +
			"Null if none have been announced to the " + other + ".",
		Attributes: map[string]datasourceschema.Attribute{
			"pod_cidrs": datasourceschema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Pod CIDRs announced to the " + other + ".",
			},
			"external_cidr": datasourceschema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "External CIDR announced to the " + other + ".",
			},
			"remapped_pod_cidrs": datasourceschema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Ranges at which the " + other + " reaches `pod_cidrs`, in the same order.",
			},
			"remapped_external_cidr": datasourceschema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Range at which the " + other + " reaches `external_cidr`.",
			},
		},
	}
}

var networkTypes = attributeTypes(networkAttribute("client", "server").Attributes)

// announcementPath returns the path of the attribute that caused an error of an announcement.
func announcementPath(network string, err error) path.Path {
	switch attribute := path.Root(network); {
	case errors.Is(err, end.ErrPodCIDRs):
		return attribute.AtName("pod_cidrs")
	case errors.Is(err, end.ErrExternalCIDR):
		return attribute.AtName("external_cidr")
	default:
		return attribute
	}
}

// planNetworks plans which address ranges to announce to each leaf, and at which ranges it reaches the other leaf. The
// latter are known only if the state has them for exactly the announced ranges. Otherwise they are unknown, and the
// plan has a change. In this way it detects and repairs a Configuration that is missing or that someone has edited.
func (p *planning) planNetworks(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.ends() {
		planned, recorded := end.planned.network, *end.recorded.network
		announced, err := announcement(ctx, end.leaf, *end.configured.network, recorded)
		switch {
		case err != nil:
			diags.Append(failureOf("ranges-unreadable", "The address ranges can't be read", err).asError())
		case remappingKnown(recorded, announced):
			*planned = recorded
		default:
			*planned = remappingUnknown(announced)
		}
	}
	return diags
}

// announcement returns the address ranges to announce to the other leaf. It takes them from the configuration,
// otherwise from the leaf, otherwise from the state. What none of these has is unknown. The leaf may be nil, and the
// state's network null.
func announcement(ctx context.Context, leaf *cluster.Leaf, configured, recorded types.Object) (types.Object, error) {
	if configured.IsUnknown() {
		return configured, nil
	}
	var own types.Object
	if leaf != nil {
		ranges, err := liqo.RangesOf(ctx, leaf)
		if err != nil {
			return own, err
		}
		own = objectOf(ctx, networkTypes, &ranges)
	}
	said := func(attribute string, unknown attr.Value) attr.Value {
		for _, source := range []types.Object{configured, own, recorded} {
			if value, ok := source.Attributes()[attribute]; ok && !value.IsNull() {
				return value
			}
		}
		return unknown
	}
	podCIDRs := said("pod_cidrs", types.ListUnknown(cidrtypes.IPPrefixType{}))
	externalCIDR := said("external_cidr", cidrtypes.NewIPPrefixUnknown())
	if podCIDRs.IsUnknown() && externalCIDR.IsUnknown() && configured.IsNull() {
		return types.ObjectUnknown(networkTypes), nil
	}
	return objectWith(ctx, networkTypes, map[string]attr.Value{"pod_cidrs": podCIDRs, "external_cidr": externalCIDR}), nil
}

// remappingKnown reports whether the state has the ranges at which the other leaf reaches exactly these announced
// ranges.
func remappingKnown(recorded, announced types.Object) bool {
	if recorded.IsNull() || announced.IsUnknown() {
		return false
	}
	former, is := recorded.Attributes(), announced.Attributes()
	return !former["remapped_pod_cidrs"].IsNull() && !former["remapped_external_cidr"].IsNull() &&
		former["pod_cidrs"].Equal(is["pod_cidrs"]) && former["external_cidr"].Equal(is["external_cidr"])
}

// remappingUnknown returns a network with unknown remapped ranges. Other ranges without a value become unknown, too.
func remappingUnknown(network types.Object) types.Object {
	if network.IsNull() || network.IsUnknown() {
		return types.ObjectUnknown(networkTypes)
	}
	attributes := network.Attributes()
	podCIDRs, externalCIDR := attributes["pod_cidrs"], attributes["external_cidr"]
	if podCIDRs.IsNull() {
		podCIDRs = types.ListUnknown(cidrtypes.IPPrefixType{})
	}
	if externalCIDR.IsNull() {
		externalCIDR = cidrtypes.NewIPPrefixUnknown()
	}
	return types.ObjectValueMust(networkTypes, map[string]attr.Value{
		"pod_cidrs": podCIDRs, "external_cidr": externalCIDR,
		"remapped_pod_cidrs":     types.ListUnknown(cidrtypes.IPPrefixType{}),
		"remapped_external_cidr": cidrtypes.NewIPPrefixUnknown(),
	})
}
