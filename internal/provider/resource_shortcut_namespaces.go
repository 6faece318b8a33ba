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

// namespaceAttribute returns the schema of `client_namespace` or `server_namespace` of a
// liqo_shortcut.
func namespaceAttribute(leaf, other string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Namespace of this shortcut's objects on the " + leaf + ". If you set it, it must exist, and " +
			"no other shortcut can use it. Default: the " + leaf + "'s tenant namespace for the " + other + ", which is " +
			"created and removed as needed." + replacesGateway(leaf),
		Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// planNamespaces plans that objects move back to the tenant namespaces if the configuration no
// longer sets others. If they are there already, the plan keeps the value of the state. An end
// without any object has no namespace yet.
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

// planMoves marks as unknown what changes with a move to another namespace: the leaf gets a new
// Configuration there, and Liqo may remap the other leaf's network to other ranges.
func planMoves(plan, state *shortcutModel) {
	if !plan.ClientNamespace.Equal(state.ClientNamespace) {
		plan.ServerNetwork = remappingUnknown(plan.ServerNetwork)
	}
	if !plan.ServerNamespace.Equal(state.ServerNamespace) {
		plan.ClientNetwork = remappingUnknown(plan.ClientNetwork)
	}
}

// unknownIfNull returns unknown for a null namespace, because an apply will set it. An imported
// network with objects on only one leaf has no namespace on the other.
func unknownIfNull(namespace types.String) types.String {
	if namespace.IsNull() {
		return types.StringUnknown()
	}
	return namespace
}
