package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
)

var (
	_ action.Action              = (*connectivityAction)(nil)
	_ action.ActionWithConfigure = (*connectivityAction)(nil)
)

// connectivityAction runs a connectivity test when Terraform is told to. It has no state.
type connectivityAction struct{ leaves *leaves }

func newConnectivityAction() action.Action { return &connectivityAction{} }

// Metadata implements [action.Action].
func (*connectivityAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = TypeName + "_connectivity_test"
}

// Configure implements [action.ActionWithConfigure].
func (c *connectivityAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	leaves, diags := leavesFrom(req.ProviderData)
	resp.Diagnostics.Append(diags...)
	c.leaves = leaves
}

// Schema implements [action.Action].
func (*connectivityAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends packets from pod to pod between two leaves, and fails if they get lost. The error " +
			"names the hop that drops them. It does the same as the resource `liqo_connectivity_test`, and keeps nothing in " +
			"the state. It needs Terraform 1.14.",
		Attributes: map[string]schema.Attribute{
			"client": schema.StringAttribute{Required: true, MarkdownDescription: testClientText, Validators: anyName()},
			"server": schema.StringAttribute{Required: true, MarkdownDescription: testServerText, Validators: anyName()},
			"max_nodes": schema.Int32Attribute{
				Optional: true, MarkdownDescription: testMaxNodesText, Validators: between(1, connectivity.MostNodes),
			},
			"image": schema.StringAttribute{Optional: true, MarkdownDescription: testImageText, Validators: anyName()},
			"packet_count": schema.Int32Attribute{
				Optional: true, MarkdownDescription: testPacketCountText, Validators: between(2, mostPackets),
			},
			"max_loss_percent": schema.Int32Attribute{
				Optional: true, MarkdownDescription: testMaxLossText, Validators: between(0, 99),
			},
		},
	}
}

// Invoke implements [action.Action].
func (c *connectivityAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var input connectivityInput
	if resp.Diagnostics.Append(req.Config.Get(ctx, &input)...); resp.Diagnostics.HasError() {
		return
	}
	limited, cancel := context.WithTimeout(withLogging(ctx), defaultCreateTimeout)
	defer cancel()
	_, result, diags := c.leaves.testConnectivity(limited, input, func(step string) {
		resp.SendProgress(action.InvokeProgressEvent{Message: step})
	})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(faultErrors(result.Faults)...)
	if !resp.Diagnostics.HasError() {
		resp.SendProgress(action.InvokeProgressEvent{Message: describeResult(result)})
	}
}
