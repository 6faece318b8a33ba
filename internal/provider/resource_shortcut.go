package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// shortcutVersion is that of the state's shape.
const shortcutVersion = 1

// timeToRecord is for reading what there is after an operation has failed, so that the state knows of it.
const timeToRecord = 30 * time.Second

var (
	_ resource.Resource                   = (*shortcutResource)(nil)
	_ resource.ResourceWithConfigure      = (*shortcutResource)(nil)
	_ resource.ResourceWithImportState    = (*shortcutResource)(nil)
	_ resource.ResourceWithIdentity       = (*shortcutResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*shortcutResource)(nil)
	_ resource.ResourceWithUpgradeState   = (*shortcutResource)(nil)
	_ resource.ResourceWithValidateConfig = (*shortcutResource)(nil)
)

type shortcutResource struct {
	leaves *leaves
}

func newShortcutResource() resource.Resource { return &shortcutResource{} }

// Metadata implements [resource.Resource].
func (r *shortcutResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = TypeName + "_shortcut"
}

// Configure implements [resource.ResourceWithConfigure].
func (r *shortcutResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	leaves, diags := leavesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	r.leaves = leaves
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

// Create implements [resource.Resource].
func (r *shortcutResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, spec, diags := wanted(ctx, req.Plan, req.Config)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	own := ownership{}.named()
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.connect(ctx, timeout, own.owner(), spec, &plan, &resp.State)...)
	resp.Diagnostics.Append(identify(ctx, &plan, resp.Identity)...)
	if resp.Diagnostics.HasError() && !resp.State.Raw.IsNull() {
		resp.Diagnostics.AddWarning("The shortcut is tainted", tainted)
	}
}

// tainted is said after a create that has left something behind.
const tainted = "Not all of the shortcut was made, and the state has what was. Terraform has marked the resource as tainted: the next apply removes what there is, and " +
	"makes the shortcut anew, perhaps with another address. To go on from what is there instead, run `terraform untaint` with the address of the resource, and " +
	"then apply."

// Update implements [resource.Resource].
func (r *shortcutResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, spec, diags := wanted(ctx, req.Plan, req.Config)
	resp.Diagnostics.Append(diags...)
	var state shortcutModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.promisesStatus() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(identify(ctx, &plan, resp.Identity)...)
		return
	}
	own = own.named()
	resp.Diagnostics.Append(r.connect(ctx, timeout, own.owner(), state.after(spec), &plan, &resp.State)...)
	resp.Diagnostics.Append(identify(ctx, &plan, resp.Identity)...)
	own.Unadopted = own.Unadopted && resp.Diagnostics.HasError()
	resp.Diagnostics.Append(own.save(ctx, resp.Private)...)
}

// wanted reads what a create or an update is asked for.
func wanted(ctx context.Context, planned tfsdk.Plan, configured tfsdk.Config) (shortcutModel, shortcut.Spec, diag.Diagnostics) {
	var plan, config shortcutModel
	diags := planned.Get(ctx, &plan)
	diags.Append(configured.Get(ctx, &config)...)
	if diags.HasError() {
		return plan, shortcut.Spec{}, diags
	}
	spec, specDiags := plan.spec(ctx, &config)
	diags.Append(specDiags...)
	return plan, spec, diags
}

// connect makes the shortcut as spec says and writes how it is then into the state, also when that failed half-way.
func (r *shortcutResource) connect(
	ctx context.Context, timeout time.Duration, owner end.Owner, spec shortcut.Spec, plan *shortcutModel, state *tfsdk.State,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	plan.OwnerID = types.StringValue(owner.Token)
	pair := r.leaves.connect(ctx, plan.Client.ValueString(), plan.Server.ValueString())
	diags := pair.errors()
	if diags.HasError() {
		return diags
	}
	if diags.Append(pair.mustBe(plan)...); diags.HasError() {
		return diags
	}
	shortcut := shortcut.New(pair.client, pair.server).OwnedBy(owner)
	failure := shortcut.Connect(ctx, spec)
	if failure != nil {
		diags.AddError(summary("The shortcut could not be made", failure), detail(failure))
	}
	diags.Append(record(ctx, shortcut, plan, state, failure != nil)...)
	return diags
}

// record writes how the shortcut is into the state. After a failure that left nothing of the owner's behind, the state is left alone: a network of
// somebody else's does not become this resource's by an attempt that was refused.
func record(ctx context.Context, shortcut *shortcut.Shortcut, plan *shortcutModel, state *tfsdk.State, failed bool) diag.Diagnostics {
	var diags diag.Diagnostics
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToRecord)
	defer cancel()
	observed, err := shortcut.Observe(ctx, plan.keysByOthers())
	if err != nil {
		diags.AddError(summary("The shortcut can't be read", err), detail(err))
		return diags
	}
	if failed && !observed.Exists {
		return diags
	}
	if failed { // the settings stay as planned: what differs from them is what has not been done yet
		plan.observedEnds(observed)
	} else {
		diags.Append(plan.observed(ctx, observed)...)
	}
	diags.Append(state.Set(ctx, plan)...)
	return diags
}

// Read implements [resource.Resource]. Nothing but the certainty that neither leaf holds anything of the shortcut removes it from the state.
func (r *shortcutResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model shortcutModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(identify(ctx, &model, resp.Identity)...) // older Terraforms keep none
	if resp.Diagnostics.HasError() || r.leaves.unknownAny(model.Client, model.Server) {
		return
	}
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	pair := r.leaves.find(ctx, &model)
	if len(pair.failed()) > 0 {
		resp.Diagnostics.Append(pair.troubles("The state of the shortcut could not be refreshed; it stays as it was.")...)
		return
	}
	if pair.isAnother(&model) {
		return // the plan says that, and why
	}
	own, diags := r.recognise(ctx, pair, req.Private, resp.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	joined := shortcut.New(pair.client, pair.server).OwnedBy(own.owner())
	observed, err := joined.Observe(ctx, model.keysByOthers())
	if err != nil {
		resp.Diagnostics.AddError(summary("The shortcut can't be read", err), detail(err))
		return
	}
	if len(observed.Duplicates) > 0 {
		resp.Diagnostics.AddWarning("A second network joins the pair", fmt.Sprintf("There is also %s, which this resource does not own. Liqo can't cope with two "+
			"networks of one pair, and traffic may fail. Remove the one that is not wanted; a destroy of this resource removes its own only.",
			strings.Join(observed.Duplicates, ", ")))
	}
	recorded := model
	model.OwnerID = own.id(model.OwnerID)
	resp.Diagnostics.Append(model.observed(ctx, observed)...)
	switch {
	case !observed.Exists:
		if observed.Joined {
			resp.Diagnostics.AddWarning("The shortcut belongs to somebody else now", fmt.Sprintf("Nothing that joins %q and %q is this resource's any more: another "+
				"resource or somebody else has taken the network over. It is removed from the state, and its network stays.", pair.client.Name, pair.server.Name))
		}
		resp.State.RemoveResource(ctx)
	case !model.equal(&recorded): // else the response has it all already
		resp.Diagnostics.Append(identify(ctx, &model, resp.Identity)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
	resp.Diagnostics.Append(model.whyDown(ctx, joined, observed)...)
}

// whyDown warns of a tunnel that is down though everything is in place, with what the leaves show of the reason. One that comes up while nobody waits for it is no reason
// to worry, unless it was up before.
func (m *shortcutModel) whyDown(ctx context.Context, joined *shortcut.Shortcut, observed shortcut.State) diag.Diagnostics {
	awaited := m.WaitForConnection.ValueBool() && !m.keysByOthers()
	if !observed.Exists || (observed.Status != shortcut.Error && (observed.Status != shortcut.Connecting || (!awaited && !observed.Silent))) {
		return nil
	}
	down := joined.WhyDown(ctx)
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("status"), capital(down.Summary), down.Detail)}
}

// identify gives the resource the identity of the two clusters, if they are known.
func identify(ctx context.Context, model *shortcutModel, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	if identity == nil || model.ClientClusterID.ValueString() == "" || model.ServerClusterID.ValueString() == "" {
		return nil
	}
	return identity.Set(ctx, identityModel{ClientClusterID: model.ClientClusterID, ServerClusterID: model.ServerClusterID})
}

// withLogging gives the context what the steps of a procedure log to.
func withLogging(ctx context.Context) context.Context {
	return tflog.NewSubsystem(ctx, steps.LogSubsystem)
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
