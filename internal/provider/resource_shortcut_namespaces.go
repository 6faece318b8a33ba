package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// namespaceAttribute returns the schema of `client_namespace` or `server_namespace` of a liqo_shortcut.
func namespaceAttribute(leaf, other string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Namespace of the shortcut's objects on the " + leaf + ". It must exist, and no other " +
			"shortcut can use it. Default: the tenant namespace for the " + other + ", created and removed as needed." +
			replacesGateway(leaf),
		Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// planNamespaces plans that objects move back to the tenant namespaces if the configuration no longer sets others. If
// they are there already, the plan keeps the value of the state. An end without any object has no namespace yet.
func (p *planning) planNamespaces(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, e := range p.ends() {
		planned := e.planned.namespace
		*planned = unknownIfNull(*planned)
		if e.leaf == nil || e.other == nil || !e.configured.namespace.IsNull() || planned.IsUnknown() {
			continue
		}
		joined := end.New(e.leaf, end.Remote{Name: e.other.Name, ID: e.other.ID})
		byDefault, err := joined.IsTenantNamespace(ctx, planned.ValueString())
		if err != nil {
			diags.Append(failureOf("leaf-unreadable", "The namespace can't be read", err).
				errorAt(e.planned.path("namespace")))
		} else if !byDefault {
			*planned = types.StringUnknown()
		}
	}
	return diags
}

// planMoves marks as unknown what changes with a move to another namespace: the leaf gets a new Configuration there,
// and Liqo may remap the other leaf's network to other ranges.
func (p *planning) planMoves() {
	ends := p.ends()
	for i, end := range ends {
		if !end.planned.namespace.Equal(*end.recorded.namespace) {
			other := ends[1-i].planned.network
			*other = remappingUnknown(*other)
		}
	}
}

// unknownIfNull returns unknown for a null namespace, because an apply will set it. An imported network with objects on
// only one leaf has no namespace on the other.
func unknownIfNull(namespace types.String) types.String {
	if namespace.IsNull() {
		return types.StringUnknown()
	}
	return namespace
}
