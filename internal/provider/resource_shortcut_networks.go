package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

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
	return types.ObjectValueMust(networkTypes, map[string]attr.Value{
		"pod_cidrs": podCIDRs, "external_cidr": externalCIDR,
		"remapped_pod_cidrs": types.ListNull(cidrtypes.IPPrefixType{}), "remapped_external_cidr": cidrtypes.NewIPPrefixNull(),
	}), nil
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
