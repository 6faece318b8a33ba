package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// shortcutVersion is that of the state's shape.
const shortcutVersion = 1

const (
	minMTU = 576   // the largest datagram that every IPv4 host must accept: RFC 791
	maxMTU = 65535 // the largest IPv4 packet
)

// Values of cidr_remapping and on_destroy.
const (
	remappingAllowed   = "allow"
	remappingForbidden = "forbid"
	destroyResets      = "reset"
	destroyDisconnects = "disconnect"
)

// interrupts ends the description of an attribute whose change replaces both gateways; what is nested in it need not repeat it.
const interrupts = " A change replaces both gateways and interrupts traffic for some seconds."

// interruptsClient ends the description of one whose change replaces the client's gateway alone.
const interruptsClient = " A change replaces the client's gateway and interrupts traffic for some seconds."

// Schema implements [resource.Resource].
func (r *shortcutResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: shortcutVersion,
		MarkdownDescription: "Joins two leaf clusters of a Liqo topology directly, so that traffic between them does not take the detour through " +
			"the central cluster. Does what `liqoctl network connect` does, and on destroy what `liqoctl network reset` does.",
		Attributes: map[string]schema.Attribute{
			"id": computedString("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that dials: a key of the provider's `clusters`, or a context of its kubeconfig. " +
					"Another cluster behind the name forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"server": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that exposes the gateway: a key of the provider's `clusters`, or a context of its kubeconfig. " +
					"Another cluster behind the name forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"mtu": schema.Int32Attribute{
				Optional: true, Computed: true,
				Default:             int32default.StaticInt32(shortcut.DefaultMTU),
				MarkdownDescription: "MTU of the tunnel at both ends, in bytes, from 576 to 65535. Default: `1340`." + interrupts,
				Validators:          []validator.Int32{int32validator.Between(minMTU, maxMTU)},
			},
			"server_gateway": serverGatewayAttribute(),
			"client_gateway": clientGatewayAttribute(),
			"wait_for_connection": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether an apply waits until both ends report the tunnel as up. With `false` it ends once everything is in " +
					"place. A tunnel that is down is no change to plan in either case. Default: `true`.",
			},
			"share_keys": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether each leaf is told the public key of the other's gateway. With `false` somebody else must do that, and an apply " +
					"does not wait for the tunnel. Default: `true`.",
			},
			"cidr_remapping": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(remappingAllowed),
				MarkdownDescription: "`allow`: Liqo remaps what overlaps. `forbid`: an apply fails, before any gateway exists, if a leaf would reach a pod CIDR " +
					"of the other at another address. Default: `allow`.",
				Validators: []validator.String{stringvalidator.OneOf(remappingAllowed, remappingForbidden)},
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to take over a network that already joins the two leaves, made by liqoctl or by a peering, in either direction. What " +
					"is taken over is removed on destroy. Default: `false`.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(destroyResets),
				MarkdownDescription: "`reset`: a destroy leaves nothing behind. `disconnect`: it removes the gateways and keeps the Configurations, so that a " +
					"later shortcut of the same leaves finds the same remapping. Default: `reset`.",
				Validators: []validator.String{stringvalidator.OneOf(destroyResets, destroyDisconnects)},
			},
			"force_destroy": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to destroy although one of the leaves is lost: it does not answer, the provider block does not list its cluster any more, or there " +
					"is no Liqo or another certificate where it was. The other one is cleaned then. It must be applied before the destroy, which needs no leaf if nothing else changes. " +
					"Default: `false`.",
			},
			"destroy_peering_network": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to destroy although a peering uses the network, which then has none. The peering's tenant namespaces stay. It must be " +
					"applied before the destroy, which needs no leaf if nothing else changes. Default: `false`.",
			},
			"timeouts": timeoutsAttribute(ctx),

			"owner_id":          computedString("Random ID of this resource instance. It marks on the leaves what belongs to the instance; nothing else is changed or removed."),
			"client_cluster_id": computedString("Liqo's cluster ID of the client."),
			"server_cluster_id": computedString("Liqo's cluster ID of the server."),
			"client_namespace":  namespaceAttribute("client", "server", interruptsClient),
			"server_namespace":  namespaceAttribute("server", "client", interrupts),
			"client_network":    networkAttribute("client", "server"),
			"server_network":    networkAttribute("server", "client"),
			"server_endpoint":   serverEndpointAttribute(),
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`Connected`: both ends report the tunnel as up. `Connecting`: everything is in place and the tunnel is not up. " +
					"`Error`: an end reports that the tunnel failed. `Disconnected`: something is missing; the next apply repairs it in place.",
			},
		},
	}
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

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
	if !given(model.ServerGateway) {
		return
	}
	var gateway serverGatewayModel
	resp.Diagnostics.Append(model.ServerGateway.As(ctx, &gateway, basetypes.ObjectAsOptions{})...)
	resp.Diagnostics.Append(gateway.validate()...)
}

// UpgradeState implements [resource.ResourceWithUpgradeState].
func (r *shortcutResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {StateUpgrader: splitForceDestroy}}
}

// splitForceDestroy brings a state of version 0 up to date, in which force_destroy allowed two things: to give up a leaf that is lost, and to take the network from a
// peering. Which of them was meant is for the user to say anew, so neither is allowed before that is applied.
func splitForceDestroy(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	var state map[string]json.RawMessage
	if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
		resp.Diagnostics.AddError("The state can't be read", "It is not as an early version of this provider has written it: "+err.Error()+".")
		return
	}
	state["force_destroy"], state["destroy_peering_network"] = json.RawMessage("false"), json.RawMessage("false")
	state["owner_id"] = json.RawMessage("null") // the first refresh finds none, and the next apply gives it one
	upgraded, err := json.Marshal(state)
	if err != nil {
		resp.Diagnostics.AddError("The state can't be written", err.Error()+".")
		return
	}
	resp.DynamicValue = &tfprotov6.DynamicValue{JSON: upgraded}
}
