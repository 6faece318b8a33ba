package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// checkedEnd is the part of a plan that concerns one leaf.
type checkedEnd struct {
	end *end.End

	leafAt, namespaceAt, gatewayAt path.Path // of the attributes with the leaf's name, its namespace and its gateway

	gateway          *plannedGateway // nil unless all its settings are known
	gatewayChanges   bool            // or is new
	followsChange    bool            // either gateway changes, so that this one has to fit it
	namespace        types.String    // as configured; null leaves the choice to Liqo
	namespaceChanges bool            // or is new
	adopt            types.Bool
}

// plannedGateway is what the checks need to know about the settings of either gateway.
type plannedGateway struct {
	liqo.Gateway

	keySecret string
	server    *liqo.GatewayServer // nil for a client
	tunnels   int                 // of both gateways
	tunnelsAt path.Path           // of the attribute that says how many
}

// checkedEnds returns the two ends, the client's first.
func (f feasibility) checkedEnds(ctx context.Context) ([]checkedEnd, diag.Diagnostics) {
	var diags diag.Diagnostics
	var ends []checkedEnd
	changes := f.changesGateways(ctx)
	for i, e := range f.ends() {
		ends = append(ends, checkedEnd{
			end: f.shortcut.Ends()[i], leafAt: path.Root(e.attribute), namespaceAt: e.path("namespace"),
			gatewayAt: e.path("gateway"), adopt: f.plan.AdoptExisting, namespace: *e.configured.namespace,
			gatewayChanges:   f.state == nil || !e.planned.gateway.Equal(*e.recorded.gateway),
			followsChange:    changes,
			namespaceChanges: f.state == nil || !e.planned.namespace.Equal(*e.recorded.namespace),
		})
	}
	if fullyKnown(ctx, f.plan.ClientGateway) {
		set, clientDiags := clientGatewaySpec(ctx, f.plan.ClientGateway)
		diags.Append(clientDiags...)
		ends[0].gateway = &plannedGateway{Gateway: set, keySecret: set.KeySecret}
	}
	if fullyKnown(ctx, f.plan.ServerGateway) {
		set, serverDiags := serverGatewaySpec(ctx, f.plan.ServerGateway)
		diags.Append(serverDiags...)
		ends[1].gateway = &plannedGateway{Gateway: set, keySecret: set.KeySecret, server: &set}
		for _, e := range ends {
			if e.gateway != nil {
				e.gateway.tunnels, e.gateway.tunnelsAt = set.Tunnels, path.Root("server_gateway").AtName("tunnels")
			}
		}
	}
	return ends, diags
}

// changesGateways reports whether the apply makes, changes or replaces a gateway. That is assumed of settings that are
// not known yet, and if it can't be found out. The checks say why.
func (f feasibility) changesGateways(ctx context.Context) bool {
	if f.state == nil || !fullyKnown(ctx, f.plan.ClientGateway, f.plan.ServerGateway, f.plan.MTU, f.plan.KeyRotation) {
		return true
	}
	spec, diags := f.plan.spec(ctx, f.config)
	if diags.HasError() {
		return true
	}
	changes, err := f.shortcut.ChangesGateways(ctx, spec)
	return changes || err != nil
}

// checks returns what is asked of an end, whichever resource plans it.
func (s checkedEnd) checks() []check {
	return []check{
		s.checkVersion, s.checkNamespace, s.checkTemplate, s.checkServiceMetadata, s.checkTunnels, s.checkKeys,
	}
}

// checkVersion finds a version of Liqo that is not supported, or that has a defect.
func (s checkedEnd) checkVersion(ctx context.Context) diag.Diagnostics {
	if _, err := liqo.Version(ctx, s.end.Leaf); err != nil {
		return nil // that of a custom build may be unknown; do not ask again
	}
	if err := liqo.CheckVersion(ctx, s.end.Leaf); err != nil {
		return diag.Diagnostics{
			failureOf("liqo-too-old", "Liqo is older than 1.0", err).errorAt(s.leafAt),
		}
	}
	var diags diag.Diagnostics
	if defect := liqo.Defect(ctx, s.end.Leaf); defect != "" {
		diags.Append(report("liqo-defect", fmt.Sprintf("%s on leaf %q has a defect",
			liqo.Name(ctx, s.end.Leaf), s.end.Leaf.Name),
			defect).warningAt(s.leafAt))
	}
	return diags
}

// checkNamespace finds a namespace that cannot have the objects of this end: the configured one, or the tenant
// namespace.
func (s checkedEnd) checkNamespace(ctx context.Context) diag.Diagnostics {
	if s.namespace.IsUnknown() || !s.namespaceChanges {
		return nil
	}
	return checkUnlessMade(s.namespaceAt, s.end.CheckNamespace(ctx, s.namespace.ValueString()))
}

// checkTemplate finds a template of the gateway that does not exist, that can't be rendered, or that ignores a setting.
func (s checkedEnd) checkTemplate(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || !s.gatewayChanges && !s.followsChange {
		return nil
	}
	template, err := s.end.CheckTemplate(ctx, s.gateway.Gateway)
	if err != nil {
		return checkResult(s.gatewayAt.AtName("template"), err)
	}
	server := s.gateway.server
	if server == nil || !s.gatewayChanges {
		return nil
	}
	var diags diag.Diagnostics
	for _, setting := range []struct {
		attribute, field string
		set, used        bool
	}{
		{"node_port", "node port", server.NodePort != 0, template.TakesNodePort},
		{"load_balancer_ip", "load balancer's address", server.LoadBalancerIP != "", template.TakesLoadBalancerIP},
	} {
		if setting.set && !setting.used {
			diags.Append(report("template-ignores-setting", "The template ignores "+setting.attribute,
				fmt.Sprintf("The Service in template %s on leaf %q does not use the %s of the gateway, so `%s` would have no "+
					"effect. Remove it, or set a `template` that uses it.",
					template.Name, s.end.Leaf.Name, setting.field, setting.attribute)).errorAt(s.gatewayAt.AtName(setting.attribute)))
		}
	}
	return diags
}

// checkServiceMetadata finds labels or annotations that Liqo can't set on the gateway's Service.
func (s checkedEnd) checkServiceMetadata(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || s.gateway.server == nil || !s.gatewayChanges {
		return nil
	}
	leafPath := "service_annotations"
	if len(s.gateway.server.ServiceAnnotations) == 0 {
		leafPath = "service_labels"
	}
	return checkResult(s.gatewayAt.AtName(leafPath), s.end.CheckServiceMetadata(ctx, *s.gateway.server))
}

// checkTunnels finds more tunnels than Liqo at this end can have.
func (s checkedEnd) checkTunnels(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil {
		return nil
	}
	return checkResult(s.gateway.tunnelsAt, s.end.CheckTunnels(ctx, s.gateway.tunnels))
}

// checkKeys finds a Secret that the gateway cannot read its keys from. It depends on the namespace, too.
func (s checkedEnd) checkKeys(ctx context.Context) diag.Diagnostics {
	changes := s.gatewayChanges || s.namespaceChanges
	if s.gateway == nil || !fullyKnown(ctx, s.namespace, s.adopt) || !changes {
		return nil
	}
	secret := liqo.KeySecret{Namespace: s.namespace.ValueString(), Name: s.gateway.keySecret}
	err := s.end.CheckKeySecret(ctx, secret, s.adopt.ValueBool())
	return checkUnlessMade(s.gatewayAt.AtName("key_secret"), err)
}
