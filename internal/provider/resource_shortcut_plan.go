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

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
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
			diags.AddAttributeError(path.Root("timeouts").AtName(operation), "No time at all", "A timeout must be longer than zero; this one is \""+
				text.ValueString()+"\".")
		}
	}
	return diags
}

// validate finds settings that belong to another type of Service.
func (m serverGatewayModel) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	if m.ServiceType.IsUnknown() {
		return diags
	}
	serviceType := corev1.ServiceType(m.ServiceType.ValueString())
	if serviceType == "" {
		serviceType = shortcut.DefaultServiceType
	}
	if !m.NodePort.IsNull() && serviceType != corev1.ServiceTypeNodePort {
		diags.AddAttributeError(path.Root("server_gateway").AtName("node_port"), "node_port without NodePort",
			"`node_port` needs `service_type = \"NodePort\"`; it is \""+string(serviceType)+"\".")
	}
	if !m.LoadBalancerIP.IsNull() && serviceType != corev1.ServiceTypeLoadBalancer {
		diags.AddAttributeError(path.Root("server_gateway").AtName("load_balancer_ip"), "load_balancer_ip without LoadBalancer",
			"`load_balancer_ip` needs `service_type = \"LoadBalancer\"`; it is \""+string(serviceType)+"\".")
	}
	return diags
}

// ModifyPlan implements [resource.ResourceWithModifyPlan]. It finds what can be known before an apply: names that stand for nothing, for one and the
// same cluster, or for another than before; leaves that can't be joined as wished; and a shortcut that needs repair.
func (r *shortcutResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.leaves == nil {
		return // a destroy, or a validation without a configured provider
	}
	var plan, config shortcutModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	var state *shortcutModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	own, diags := ownershipOf(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	own = own.named() // the second plan of a replacement is given what the first one saved
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
	proposed := plan
	var pair pair
	if !r.leaves.unknownAny(plan.Client, plan.Server) {
		pair = r.leaves.connect(ctx, plan.Client.ValueString(), plan.Server.ValueString())
		resp.Diagnostics.Append(r.leaves.planTroubles(ctx, pair, &plan, state)...)
		replace, diags := planLeaves(pair, &plan, state)
		resp.Diagnostics.Append(diags...)
		resp.RequiresReplace = append(resp.RequiresReplace, replace...)
		if len(replace) > 0 {
			state = nil
		} else if pair.client != nil && pair.server != nil {
			resp.Diagnostics.Append(r.leaves.planned.claim(pair, own.Token)...)
		}
		resp.Diagnostics.Append(planNetworks(ctx, pair, &plan, &config, state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var settingsOnly bool
	if state != nil {
		resp.Diagnostics.Append(planRepair(ctx, pair, own.owner(), &plan, state)...)
		resp.Diagnostics.Append(planNamespaces(ctx, pair, &plan, &config)...)
		planMoves(&plan, state)
		var diags diag.Diagnostics
		settingsOnly, diags = planSettings(ctx, req.Private, pair, &plan, state)
		resp.Diagnostics.Append(diags...)
	}
	if changed := state == nil || !plan.equal(state); changed && !settingsOnly {
		plan.ServerEndpoint, plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		resp.Diagnostics.Append(checkFeasible(ctx, pair, &plan, &config, state == nil)...)
	}
	if !plan.equal(&proposed) { // else all the framework's work on a plan would be done once more for nothing
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

// planLeaves looks which clusters the names stand for, and returns the attributes that force a replacement if they are not those of the state.
func planLeaves(pair pair, plan, state *shortcutModel) (path.Paths, diag.Diagnostics) {
	var (
		diags   diag.Diagnostics
		replace path.Paths
	)
	diags.Append(pair.differ()...)
	for _, end := range []struct {
		leaf      *cluster.Leaf
		attribute string
		planned   *types.String
	}{
		{pair.client, "client", &plan.ClientClusterID},
		{pair.server, "server", &plan.ServerClusterID},
	} {
		if end.leaf == nil {
			continue
		}
		if state != nil && isAnother(end.leaf, end.planned.ValueString()) {
			diags.AddAttributeWarning(path.Root(end.attribute), "Another cluster", "The shortcut joins cluster \""+end.planned.ValueString()+
				"\" as its "+end.attribute+", and \""+end.leaf.Name+"\" stands for cluster \""+string(end.leaf.ID)+
				"\" now. So the shortcut must be replaced.")
			replace = append(replace, path.Root(end.attribute+"_cluster_id"))
		}
		*end.planned = types.StringValue(string(end.leaf.ID))
	}
	if len(replace) > 0 {
		plan.becomesAnother()
	}
	if pair.client != nil && pair.server != nil {
		plan.ID = types.StringValue(plan.ClientClusterID.ValueString() + "/" + plan.ServerClusterID.ValueString())
	}
	return replace, diags
}

// becomesAnother forgets what is only true of the clusters that the shortcut joins now.
func (m *shortcutModel) becomesAnother() {
	m.ID, m.ClientNamespace, m.ServerNamespace = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.ClientNetwork, m.ServerNetwork = types.ObjectUnknown(networkTypes), types.ObjectUnknown(networkTypes)
}

// planRepair plans an update of a shortcut of which something is missing or wrong. Where only the tunnel is down, an apply has nothing to do.
func planRepair(ctx context.Context, pair pair, owner shortcut.Owner, plan, state *shortcutModel) diag.Diagnostics {
	needed, diags := needsRepair(ctx, pair, owner, shortcut.Status(state.Status.ValueString()))
	if needed {
		plan.ServerEndpoint, plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
		plan.ClientNetwork, plan.ServerNetwork = remappingUnknown(plan.ClientNetwork), remappingUnknown(plan.ServerNetwork)
		plan.ClientNamespace, plan.ServerNamespace = unknownIfNull(plan.ClientNamespace), unknownIfNull(plan.ServerNamespace)
	}
	return diags
}

// needsRepair reports whether an apply has something to do for a shortcut of this status. Only while the tunnel is down it asks the leaves.
func needsRepair(ctx context.Context, pair pair, owner shortcut.Owner, status shortcut.Status) (bool, diag.Diagnostics) {
	if status == shortcut.Disconnected || status == shortcut.Connected || pair.client == nil || pair.server == nil {
		return status == shortcut.Disconnected, nil
	}
	lost, err := shortcut.New(pair.client, pair.server).OwnedBy(owner).Lost(ctx)
	if err != nil {
		return false, diag.Diagnostics{diag.NewWarningDiagnostic(summary("It is not known whether the shortcut needs a repair", err), detail(err))}
	}
	return lost, nil
}
