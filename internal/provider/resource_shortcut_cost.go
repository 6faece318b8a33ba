package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
)

// This file has what a change of an existing shortcut costs. Most settings of a gateway change in place. The guide
// "Downtime per change" lists them all.

// costs warns of each change that a gateway can't take in place, or that gives it another address.
func (p *planning) costs(ctx context.Context) diag.Diagnostics {
	if p.state == nil {
		return nil
	}
	var diags diag.Diagnostics
	for _, end := range p.ends() {
		loses := "its keys"
		if end.planned.attribute == "server" {
			loses = "its keys and its Service, so that it may get another address"
		}
		detail := fmt.Sprintf("Liqo can't change this in place. The apply removes the gateway of %q with %s, and creates "+
			"it again. There is no network between the leaves meanwhile.", end.planned.name.ValueString(), loses)
		if recorded := end.recorded.namespace; changes(ctx, *end.planned.namespace, *recorded) && !recorded.IsNull() {
			diags.Append(report("gateway-replaced", "A gateway is replaced", detail).warningAt(end.planned.path("namespace")))
		}
		for _, name := range []string{"key_secret_name", "template"} {
			if changes(ctx, end.planned.gateway.Attributes()[name], end.recorded.gateway.Attributes()[name]) {
				diags.Append(report("gateway-replaced", "A gateway is replaced", detail).
					warningAt(end.planned.path("gateway").AtName(name)))
			}
		}
	}
	diags.Append(stayOpen(ctx, p.state.Allow, p.plan.Allow, p.plan.Client.ValueString(), p.plan.Server.ValueString())...)
	if name := "service_type"; changes(ctx, p.plan.ServerGateway.Attributes()[name],
		p.state.ServerGateway.Attributes()[name]) {
		diags.Append(report("gateway-address-changes", "The gateway gets another address",
			fmt.Sprintf("The gateway of %q stays, but can be reached at another address or port with another type of "+
				"Service. Firewall rules for the present one no longer fit.", p.plan.Server.ValueString())).
			warningAt(path.Root("server_gateway").AtName(name)))
	}
	return diags
}

// changes reports whether a known value differs from the one before. A missing block has no values.
func changes(ctx context.Context, planned, before attr.Value) bool {
	switch {
	case planned == nil:
		return before != nil && !before.IsNull()
	case !fullyKnown(ctx, planned):
		return false
	case before == nil:
		return !planned.IsNull()
	default:
		return !planned.Equal(before)
	}
}

// mayMove reports whether an update can give the server's gateway another address or port.
func (m *shortcutModel) mayMove(ctx context.Context, before *shortcutModel) bool {
	return !given(before.ServerEndpoint) || !m.ServerNamespace.Equal(before.ServerNamespace) ||
		m.ServerGateway.IsUnknown() || serverMayMove(m.serverEnd().settings(ctx), before.serverEnd().settings(ctx))
}

// serverMayMove reports whether the settings of a server's gateway differ in one that can give it another address or
// port.
func serverMayMove(planned, before types.Object) bool {
	settings, then := planned.Attributes(), before.Attributes()
	for name, value := range settings {
		if !value.Equal(then[name]) && movesServer(name, settings["service_type"]) {
			return true
		}
	}
	return false
}

// movesServer reports whether a change of this setting can give a server's gateway, with a Service of this type,
// another address or port.
func movesServer(setting string, serviceType attr.Value) bool {
	is := func(kind corev1.ServiceType) bool { return serviceType.Equal(types.StringValue(string(kind))) }
	switch setting {
	case "service_labels":
		return false
	case "pods": // the address of a NodePort is that of the active pod's node
		return is(corev1.ServiceTypeNodePort)
	case "service_annotations": // a cloud's load balancer may move because of them
		return !is(corev1.ServiceTypeNodePort) && !is(corev1.ServiceTypeClusterIP)
	default:
		return true
	}
}
