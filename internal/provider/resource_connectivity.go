package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

var (
	_ resource.Resource                   = (*connectivityResource)(nil)
	_ resource.ResourceWithConfigure      = (*connectivityResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*connectivityResource)(nil)
	_ resource.ResourceWithValidateConfig = (*connectivityResource)(nil)
)

// connectivityResource is a connectivity test and its result. It has nothing on the leaves but while the test runs. So
// a refresh finds out nothing, a destroy has nothing to remove, and there is nothing to import.
type connectivityResource struct{ configured }

func newConnectivityResource() resource.Resource { return &connectivityResource{} }

// Metadata implements [resource.Resource].
func (r *connectivityResource) Metadata(
	_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = TypeName + "_connectivity_test"
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *connectivityResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var model connectivityModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.Diagnostics.Append(validateTimeouts(model.Timeouts.Attributes())...)
}

// ModifyPlan implements [resource.ResourceWithModifyPlan]. A change of the timeouts alone repeats no test.
func (r *connectivityResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
		return
	}
	var plan, state connectivityModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !plan.asks(state) {
		return
	}
	state.Timeouts = plan.Timeouts
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &state)...)
}

// Create implements [resource.Resource].
func (r *connectivityResource) Create(
	ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse,
) {
	var plan connectivityModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultCreateTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.run(ctx, timeout, &plan, &resp.State)...)
}

// Update implements [resource.Resource]. After an error, the state stays, and the next apply repeats the test.
func (r *connectivityResource) Update(
	ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse,
) {
	var plan connectivityModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultUpdateTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if !plan.TestedAt.IsUnknown() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	resp.Diagnostics.Append(r.run(ctx, timeout, &plan, &resp.State)...)
}

// run runs the test and records its result, unless that is an error.
func (r *connectivityResource) run(
	ctx context.Context, timeout time.Duration, plan *connectivityModel, state *tfsdk.State,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	ends, result, diags := r.leaves.testConnectivity(ctx, plan.input(), nil)
	if diags.HasError() {
		return diags
	}
	if plan.OnFailure.ValueString() == failureFails {
		diags.Append(faultErrors(result.Faults)...)
	}
	if !diags.HasError() {
		plan.record(ends, result)
		diags.Append(state.Set(ctx, plan)...)
	}
	return diags
}

// Read implements [resource.Resource]. A refresh sends no packets.
func (r *connectivityResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete implements [resource.Resource].
func (r *connectivityResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}
