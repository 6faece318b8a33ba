package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// namespaceAttribute is the `client_namespace` or `server_namespace` of a liqo_shortcut.
func namespaceAttribute(leaf, other, interruption string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Namespace in which the " + leaf + " keeps the objects of this shortcut. One that is given must exist, and no other shortcut can share it. Default: the " + leaf +
			"'s tenant namespace for the " + other + ", which is made and removed as needed." + interruption,
		Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// planNamespaces plans that objects go back to the tenant namespaces from others that the configuration does not name any more. Where they are already, the
// state's value stands in the plan. An end of which nothing was ever made has no namespace yet.
func planNamespaces(ctx context.Context, pair pair, plan, config *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, planned := range []*types.String{&plan.ClientNamespace, &plan.ServerNamespace} {
		if planned.IsNull() {
			*planned = types.StringUnknown()
		}
	}
	if pair.client == nil || pair.server == nil {
		return diags
	}
	joined := shortcut.New(pair.client, pair.server)
	for _, end := range []struct {
		attribute  string
		configured types.String
		planned    *types.String
		byDefault  func(context.Context, string) (bool, error)
	}{
		{"client_namespace", config.ClientNamespace, &plan.ClientNamespace, joined.Client.IsTenantNamespace},
		{"server_namespace", config.ServerNamespace, &plan.ServerNamespace, joined.Server.IsTenantNamespace},
	} {
		if !end.configured.IsNull() || end.planned.IsUnknown() {
			continue
		}
		byDefault, err := end.byDefault(ctx, end.planned.ValueString())
		if err != nil {
			diags.AddAttributeError(path.Root(end.attribute), summary("The namespace can't be read", err), detail(err))
		} else if !byDefault {
			*end.planned = types.StringUnknown()
		}
	}
	return diags
}

// planMoves leaves open what follows from a move to another namespace: the leaf's Configuration is made anew there, and Liqo may remap the other leaf's network
// to other ranges then.
func planMoves(plan, state *shortcutModel) {
	if !plan.ClientNamespace.Equal(state.ClientNamespace) {
		plan.ServerNetwork = remappingUnknown(plan.ServerNetwork)
	}
	if !plan.ServerNamespace.Equal(state.ServerNamespace) {
		plan.ClientNetwork = remappingUnknown(plan.ClientNetwork)
	}
}

// unknownIfNull leaves open what is not there yet and an apply will make: a network of which only one leaf has anything, and that was imported, has no namespace on the
// other.
func unknownIfNull(namespace types.String) types.String {
	if namespace.IsNull() {
		return types.StringUnknown()
	}
	return namespace
}
