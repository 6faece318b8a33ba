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
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// networkAttribute is the `client_network` or `server_network` of a liqo_shortcut.
func networkAttribute(leaf, other string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Address ranges of the " + leaf + ", in CIDR notation, and where the " + other + " reaches them. A change interrupts " +
			"traffic to those that change only.",
		PlanModifiers: []planmodifier.Object{objectplanmodifier.UseStateForUnknown()},
		Attributes: map[string]schema.Attribute{
			"pod_cidrs": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Of its pods, as the " + other + " is told. Default: all pod CIDRs of the " + leaf + ". Set it to parts of them to " +
					"keep the other pods apart: those can't be reached from the " + other + ", and reach nothing there. Any other range is refused, because " +
					"packets to it would be lost. A change is made in place, and the " + other + " may reach the pods at other addresses then.",
				Validators:    []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(cidr(), wholeRange())},
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"external_cidr": schema.StringAttribute{
				Optional: true, Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Liqo's external CIDR of the " + leaf + ", for addresses outside its pod CIDRs, as the " + other + " is told. Default: as the " + leaf +
					" has it. It can be set to a part that begins with the same address; then the " + other + " reaches no address outside that part.",
				Validators:    []validator.String{wholeRange()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"remapped_pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `pod_cidrs`, index by index; the same ranges where Liqo has remapped nothing.",
				PlanModifiers:       []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"remapped_external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `external_cidr`.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

// shownNetwork is the `client_network` or `server_network` of a data source.
func shownNetwork(leaf, other string) datasourceschema.Attribute {
	return datasourceschema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "Address ranges of the " + leaf + ", in CIDR notation, and where the " + other + " reaches them. Null where the " + other +
			" has not been told of any.",
		Attributes: map[string]datasourceschema.Attribute{
			"pod_cidrs": datasourceschema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{}, MarkdownDescription: "Of its pods, as the " + other + " was told.",
			},
			"external_cidr": datasourceschema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Liqo's external CIDR of the " + leaf + ", as the " + other + " was told.",
			},
			"remapped_pod_cidrs": datasourceschema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `pod_cidrs`, index by index.",
			},
			"remapped_external_cidr": datasourceschema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `external_cidr`.",
			},
		},
	}
}

type networkModel struct {
	PodCIDRs             types.List         `tfsdk:"pod_cidrs"`
	ExternalCIDR         cidrtypes.IPPrefix `tfsdk:"external_cidr"`
	RemappedPodCIDRs     types.List         `tfsdk:"remapped_pod_cidrs"`
	RemappedExternalCIDR cidrtypes.IPPrefix `tfsdk:"remapped_external_cidr"`
}

var networkTypes = attributeTypes(networkAttribute("client", "server").Attributes)

// endSpec is how one leaf's end shall be: where it keeps the objects, and what the other leaf is told of its address
// ranges. What the configuration does not say is left to the leaf.
func endSpec(ctx context.Context, namespace types.String, set types.Object) (shortcut.EndSpec, diag.Diagnostics) {
	announcement, diags := announcementSpec(ctx, set)
	return shortcut.EndSpec{Namespace: namespace.ValueString(), Announcement: announcement}, diags
}

// announcementSpec is what the other leaf is told of a leaf's address ranges; empty for what the leaf has.
func announcementSpec(ctx context.Context, set types.Object) (end.Announcement, diag.Diagnostics) {
	if set.IsNull() {
		return end.Announcement{}, nil
	}
	var model networkModel
	diags := set.As(ctx, &model, basetypes.ObjectAsOptions{})
	announcement := end.Announcement{ExternalCIDR: model.ExternalCIDR.ValueString()}
	diags.Append(model.PodCIDRs.ElementsAs(ctx, &announcement.PodCIDRs, false)...)
	return announcement, diags
}

// announcementPath is the attribute of a network that an announcement is refused for.
func announcementPath(network string, err error) path.Path {
	switch at := path.Root(network); {
	case errors.Is(err, end.ErrPodCIDRs):
		return at.AtName("pod_cidrs")
	case errors.Is(err, end.ErrExternalCIDR):
		return at.AtName("external_cidr")
	default:
		return at
	}
}

func networkObject(network end.Network) types.Object {
	return types.ObjectValueMust(networkTypes, map[string]attr.Value{
		"pod_cidrs":              cidrList(network.PodCIDRs),
		"external_cidr":          cidrOrNull(network.ExternalCIDR),
		"remapped_pod_cidrs":     cidrList(network.RemappedPodCIDRs),
		"remapped_external_cidr": cidrOrNull(network.RemappedExternalCIDR),
	})
}

// networkOrNull is null where the other leaf was told nothing.
func networkOrNull(network end.Network) types.Object {
	if network.PodCIDRs == nil && network.ExternalCIDR == "" {
		return types.ObjectNull(networkTypes)
	}
	return networkObject(network)
}

// planNetworks plans what each leaf shall be told of the other's address ranges, and where it reaches them. That is known only if the state says it of these very
// ranges: a Configuration that is missing, or says otherwise because somebody edited it, is so found and put right.
func planNetworks(ctx context.Context, pair pair, plan, config, state *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	var recorded shortcutModel // its networks are null where there is no state yet
	if state != nil {
		recorded = *state
	}
	for _, end := range []struct {
		leaf                 *cluster.Leaf
		planned              *types.Object
		configured, recorded types.Object
	}{
		{pair.client, &plan.ClientNetwork, config.ClientNetwork, recorded.ClientNetwork},
		{pair.server, &plan.ServerNetwork, config.ServerNetwork, recorded.ServerNetwork},
	} {
		announced, err := announcement(ctx, end.leaf, end.configured, end.recorded)
		switch {
		case err != nil:
			diags.AddError(summary("The leaf's address ranges can't be read", err), detail(err))
		case remappingKnown(end.recorded, announced):
			*end.planned = end.recorded
		default:
			*end.planned = remappingUnknown(announced)
		}
	}
	return diags
}

// announcement is what the other leaf shall be told of a leaf's address ranges: what the configuration says, else what the leaf has, else what the state says. What
// nobody says is unknown. The leaf may be nil, and the state's network null.
func announcement(ctx context.Context, leaf *cluster.Leaf, configured, recorded types.Object) (types.Object, error) {
	if configured.IsUnknown() {
		return configured, nil
	}
	var own types.Object
	if leaf != nil {
		networks, err := leaf.Networks(ctx)
		if err != nil {
			return own, err
		}
		own = networkObject(end.Network{PodCIDRs: networks.PodCIDRs, ExternalCIDR: networks.ExternalCIDR})
	}
	said := func(attribute string, unknown attr.Value) attr.Value {
		for _, source := range []types.Object{configured, own, recorded} {
			if value, ok := source.Attributes()[attribute]; ok && !value.IsNull() {
				return value
			}
		}
		return unknown
	}
	podCIDRs, externalCIDR := said("pod_cidrs", types.ListUnknown(cidrtypes.IPPrefixType{})), said("external_cidr", cidrtypes.NewIPPrefixUnknown())
	if podCIDRs.IsUnknown() && externalCIDR.IsUnknown() && configured.IsNull() {
		return types.ObjectUnknown(networkTypes), nil
	}
	return objectWith(ctx, networkTypes, map[string]attr.Value{"pod_cidrs": podCIDRs, "external_cidr": externalCIDR}), nil
}

// remappingKnown reports whether the state says where the other leaf reaches a network that it is told of in these words.
func remappingKnown(recorded, announced types.Object) bool {
	if recorded.IsNull() || announced.IsUnknown() {
		return false
	}
	was, is := recorded.Attributes(), announced.Attributes()
	return !was["remapped_pod_cidrs"].IsNull() && !was["remapped_external_cidr"].IsNull() &&
		was["pod_cidrs"].Equal(is["pod_cidrs"]) && was["external_cidr"].Equal(is["external_cidr"])
}

// remappingUnknown leaves open where the other leaf will reach a network, and which ranges that are where nothing is known of them.
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
