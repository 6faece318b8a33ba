package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// clientTemplate finds a template of the client's gateway that does not exist.
func (f feasibility) clientTemplate(ctx context.Context) diag.Diagnostics {
	if !f.concerns(ctx, f.plan.ClientGateway, f.before.ClientGateway) {
		return nil
	}
	gateway, diags := f.plan.clientGatewaySpec(ctx)
	if diags.HasError() {
		return diags
	}
	_, err := f.shortcut.Client.CheckTemplate(ctx, gateway)
	return found(path.Root("client_gateway").AtName("template"), err)
}

// serverTemplate finds a template of the server's gateway that does not exist, or has no use for a setting.
func (f feasibility) serverTemplate(ctx context.Context) diag.Diagnostics {
	if !f.concerns(ctx, f.plan.ServerGateway, f.before.ServerGateway) {
		return nil
	}
	gateway, diags := f.plan.serverGatewaySpec(ctx)
	if diags.HasError() {
		return diags
	}
	at := path.Root("server_gateway")
	template, err := f.shortcut.Server.CheckTemplate(ctx, gateway)
	if err != nil {
		return found(at.AtName("template"), err)
	}
	useless := func(attribute, field string) {
		diags.AddAttributeError(at.AtName(attribute), "The template has no use for "+attribute, fmt.Sprintf("The Service that %s of %q describes takes no %s from the "+
			"gateway, so `%s` would change nothing. Leave it out, or name a template in `template` that takes it.", template.Name, f.pair.server.Name, field, attribute))
	}
	if gateway.NodePort != 0 && !template.TakesNodePort {
		useless("node_port", "node port")
	}
	if gateway.LoadBalancerIP != "" && !template.TakesLoadBalancerIP {
		useless("load_balancer_ip", "address of a load balancer")
	}
	return diags
}

// clientKeys finds a Secret that the client's gateway can't take its keys from.
func (f feasibility) clientKeys(ctx context.Context) diag.Diagnostics {
	if !f.keysConcerned(ctx, f.plan.ClientGateway, f.before.ClientGateway, f.plan.ClientNamespace, f.before.ClientNamespace, f.config.ClientNamespace) {
		return nil
	}
	gateway, diags := f.plan.clientGatewaySpec(ctx)
	if diags.HasError() {
		return diags
	}
	secret := end.KeySecret{Namespace: f.config.ClientNamespace.ValueString(), Name: gateway.KeySecret}
	err := f.shortcut.Client.CheckKeySecret(ctx, secret, f.plan.AdoptExisting.ValueBool())
	return foundUnlessMade(path.Root("client_gateway").AtName("key_secret"), err)
}

// serverKeys finds a Secret that the server's gateway can't take its keys from.
func (f feasibility) serverKeys(ctx context.Context) diag.Diagnostics {
	if !f.keysConcerned(ctx, f.plan.ServerGateway, f.before.ServerGateway, f.plan.ServerNamespace, f.before.ServerNamespace, f.config.ServerNamespace) {
		return nil
	}
	gateway, diags := f.plan.serverGatewaySpec(ctx)
	if diags.HasError() {
		return diags
	}
	secret := end.KeySecret{Namespace: f.config.ServerNamespace.ValueString(), Name: gateway.KeySecret}
	err := f.shortcut.Server.CheckKeySecret(ctx, secret, f.plan.AdoptExisting.ValueBool())
	return foundUnlessMade(path.Root("server_gateway").AtName("key_secret"), err)
}

// keysConcerned reports whether a gateway or its namespace is new or another than before, and all that its keys depend on is known.
func (f feasibility) keysConcerned(ctx context.Context, gateway, gatewayBefore types.Object, namespace, namespaceBefore, configured types.String) bool {
	if !fullyKnown(ctx, gateway, configured, f.plan.AdoptExisting) {
		return false
	}
	return f.state == nil || !gateway.Equal(gatewayBefore) || !namespace.Equal(namespaceBefore)
}
