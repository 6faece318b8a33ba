package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *shortcutResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var model shortcutModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !model.Client.IsUnknown() && model.Client.Equal(model.Server) {
		resp.Diagnostics.AddAttributeError(path.Root("server"), "The same leaf twice",
			"A shortcut joins two different leaves; `client` and `server` are both \""+model.Server.ValueString()+"\".")
	}
	resp.Diagnostics.Append(validateTimeouts(model.Timeouts.Attributes())...)
	if model.ServerGateway.IsNull() || model.ServerGateway.IsUnknown() {
		return
	}
	var gateway serverGatewayModel
	resp.Diagnostics.Append(model.ServerGateway.As(ctx, &gateway, basetypes.ObjectAsOptions{})...)
	resp.Diagnostics.Append(gateway.validate()...)
}

// validateTimeouts refuses timeouts that leave no time at all. What is no duration, the timeouts' own type refuses.
func validateTimeouts(timeouts map[string]attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for operation, value := range timeouts {
		text, ok := value.(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}
		if duration, err := time.ParseDuration(text.ValueString()); err == nil && duration <= 0 {
			diags.AddAttributeError(path.Root("timeouts").AtName(operation), "Timeout must be positive", "A timeout must be longer than zero; this one is \""+
				text.ValueString()+"\".")
		}
	}
	return diags
}

// validate finds settings that belong to another type of Service. What is not known yet may still turn out to be left out.
func (m serverGatewayModel) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	if m.ServiceType.IsUnknown() {
		return diags
	}
	serviceType := corev1.ServiceType(m.ServiceType.ValueString())
	if serviceType == "" {
		serviceType = end.DefaultServiceType
	}
	if given(m.NodePort) && serviceType != corev1.ServiceTypeNodePort {
		diags.AddAttributeError(path.Root("server_gateway").AtName("node_port"), "node_port without NodePort",
			"`node_port` needs `service_type = \"NodePort\"`; it is \""+string(serviceType)+"\".")
	}
	if given(m.LoadBalancerIP) && serviceType != corev1.ServiceTypeLoadBalancer {
		diags.AddAttributeError(path.Root("server_gateway").AtName("load_balancer_ip"), "load_balancer_ip without LoadBalancer",
			"`load_balancer_ip` needs `service_type = \"LoadBalancer\"`; it is \""+string(serviceType)+"\".")
	}
	return diags
}

// given reports whether the configuration has a value for certain.
func given(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }
