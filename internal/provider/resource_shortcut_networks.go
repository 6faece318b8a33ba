package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// planNetworks plans what each leaf shall be told of the other's address ranges: what the configuration says, else what the leaf has. A Configuration that
// says otherwise, because somebody edited it, is so found and put right.
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
		if end.leaf == nil || !fullyKnown(ctx, end.configured) {
			continue
		}
		spec, specDiags := endSpec(ctx, types.StringNull(), end.configured)
		diags.Append(specDiags...)
		own, err := end.leaf.Networks(ctx)
		if err != nil {
			diags.AddError(summary("The leaf's address ranges can't be read", err), detail(err))
			continue
		}
		announced := spec.Announced(own)
		wanted := networkObject(shortcut.Network{PodCIDRs: announced.PodCIDRs, ExternalCIDR: announced.ExternalCIDR})
		if sameAnnouncement(end.recorded, wanted) {
			*end.planned = end.recorded
		} else {
			*end.planned = remappingUnknown(wanted)
		}
	}
	return diags
}

// sameAnnouncement tells whether two networks are told to the other leaf in the same words.
func sameAnnouncement(one, other types.Object) bool {
	if one.IsNull() || one.IsUnknown() {
		return false
	}
	a, b := one.Attributes(), other.Attributes()
	return a["pod_cidrs"].Equal(b["pod_cidrs"]) && a["external_cidr"].Equal(b["external_cidr"])
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
