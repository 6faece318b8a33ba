package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToRecord is the time to read the leaves after a failed operation, so that the state knows what exists.
const timeToRecord = 30 * time.Second

// shortcutResource is the resource liqo_shortcut.
type shortcutResource struct{ configured }

func newShortcutResource() resource.Resource {
	return &managed[shortcutModel, *shortcutModel]{
		lifecycle: &shortcutResource{}, name: "shortcut", schema: shortcutResourceSchema, identity: map[string]string{
			"client_cluster_id": "Liqo's cluster ID of the client.", "server_cluster_id": "Liqo's cluster ID of the server.",
		},
	}
}

func (m *shortcutModel) validate(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	if !m.Client.IsUnknown() && m.Client.Equal(m.Server) {
		diags.Append(invalid("The same leaf twice",
			"A shortcut connects two different leaves, but `client` and `server` are both \""+m.Server.ValueString()+"\".").
			errorAt(path.Root("server")))
	}
	diags.Append(validateAllow(ctx, m.Allow)...)
	diags.Append(validatePods(ctx, m.Pods, path.Empty())...)
	if given(m.ClientGateway) {
		var client clientGatewayModel
		diags.Append(m.ClientGateway.As(ctx, &client, basetypes.ObjectAsOptions{})...)
		diags.Append(validatePods(ctx, client.Pods, path.Root("client_gateway"))...)
	}
	if given(m.ServerGateway) {
		var gateway serverGatewayModel
		diags.Append(m.ServerGateway.As(ctx, &gateway, basetypes.ObjectAsOptions{})...)
		diags.Append(gateway.validate(ctx, path.Root("server_gateway"))...)
	}
	return diags
}

// apply creates or changes the shortcut.
func (r *shortcutResource) apply(ctx context.Context, a *application[*shortcutModel]) diag.Diagnostics {
	spec := a.plan.spec(ctx, a.config)
	if a.prior != nil {
		spec = a.prior.after(spec)
	}
	spec.Create = a.own.isNew
	pair := r.leaves.connect(ctx, a.plan.Client.ValueString(), a.plan.Server.ValueString())
	diags := pair.errors()
	if !diags.HasError() {
		diags.Append(pair.mustBe(ctx, a.plan)...)
	}
	if diags.HasError() {
		return diags
	}
	shortcut := shortcut.New(pair.client, pair.server).OwnedBy(a.own.owner(r.leaves.origin()))
	failure := shortcut.Connect(ctx, spec)
	if failure != nil {
		diags.Append(failureOf("object-not-applied", "The shortcut could not be applied", failure).asError())
	}
	a.own.Claims = a.own.Claims && failure != nil
	a.plan.OwnerID = a.own.id()
	diags.Append(recordState(ctx, shortcut, a.plan, a.state, failure)...)
	if failure == nil {
		diags.Append(warningsOf(parallel.Map(shortcut.Ends(), func(e *end.End) *trouble.Problem {
			return e.PodsWithoutNode(ctx)
		})...)...)
	}
	return diags
}

// recordState writes the shortcut on the leaves into the state. If a failed operation has made nothing of the owner's,
// the state does not change: a create that was refused, or that has only waited, leaves no state.
func recordState(
	ctx context.Context, shortcut *shortcut.Shortcut, plan *shortcutModel, state *tfsdk.State, failure error,
) diag.Diagnostics {
	var diags diag.Diagnostics
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToRecord)
	defer cancel()
	if explain.WroteNothing(failure) {
		return diags
	}
	observed, err := shortcut.Observe(ctx)
	made := true
	if err == nil && failure != nil {
		made, err = shortcut.HasOwn(ctx)
	}
	switch {
	case err != nil:
		return recordUnread(ctx, plan, state, failure, err)
	case !made:
		return diags
	}
	plan.observedAfter(ctx, failure, observed)
	diags.Append(state.Set(ctx, plan)...)
	return diags
}

// refresh reads the shortcut.
func (r *shortcutResource) refresh(
	ctx context.Context, model *shortcutModel, private privateStates,
) (refreshed, diag.Diagnostics) {
	pair := r.leaves.find(ctx, model)
	if len(pair.failed()) > 0 {
		return unchanged, pair.troubles("The shortcut could not be refreshed. Its state stays unchanged.")
	}
	own, diags := private.recognise(ctx, model.OwnerID, pair.maker)
	if diags.HasError() {
		return unchanged, diags
	}
	s := shortcut.New(pair.client, pair.server).OwnedBy(own.owner(r.leaves.origin()))
	observed, err := s.Observe(ctx)
	if err != nil {
		diags.Append(failureOf("leaf-unreadable", "The shortcut can't be read", err).asError())
		return unchanged, diags
	}
	diags.Append(append(pair.mixedUp(observed), rulesEdited(observed.Allow, observed.Limited)...)...)
	own, settled := private.settle(ctx, own, observed.Unmarked)
	diags.Append(settled...)
	if observed.Exists || observed.Joined { // also if it has another owner now: see [leaves.checkNotTaken]
		r.leaves.refreshed.reserve(reservationOf(pair), own.Token)
	}
	recorded := *model
	model.OwnerID = own.id()
	model.observed(ctx, observed)
	diags.Append(model.whyDown(ctx, s, observed)...)
	switch {
	case !observed.Exists:
		return gone, diags
	case sameValues(model, &recorded):
		return unchanged, diags
	default:
		return changed, diags
	}
}

// mixedUp warns of objects of the network that are not this resource's.
func (p pair) mixedUp(observed shortcut.State) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(observed.Duplicates) > 0 {
		diags.Append(report("network-twice", "A second network connects the pair",
			fmt.Sprintf("There is also %s, which this resource does not own. Liqo does not support two networks of one pair, "+
				"and traffic may fail. Remove the network that you do not want. A destroy of this resource removes only its own "+
				"network.", strings.Join(observed.Duplicates, ", "))).
			asWarning())
	}
	if len(observed.Strays) > 0 {
		diags.Append(report("owners-mixed", "Another resource has changed the shortcut",
			fmt.Sprintf("It has marked %s as its own, perhaps because two applies ran at the same time. The next apply of this "+
				"resource takes them back. If the other resource is in a Terraform state, remove it there with `terraform state "+
				"rm`.", strings.Join(observed.Strays, ", "))).
			asWarning())
	}
	if !observed.Exists && observed.Joined {
		diags.Append(report("owner-changed", "The shortcut has another owner now",
			fmt.Sprintf("This resource no longer owns any object of the network between %q and %q: another resource "+
				"or user owns it. The resource is removed from the state, and the network stays.",
				p.client.Name, p.server.Name)).asWarning())
	}
	return diags
}

// whyDown returns a warning if everything is in place but the tunnel is down. The warning has the evidence from the
// leaves. There is no warning for a tunnel that comes up while the configuration does not wait for it, unless it was up
// before.
func (m *shortcutModel) whyDown(
	ctx context.Context, s *shortcut.Shortcut, observed shortcut.State,
) diag.Diagnostics {
	missed := observed.Status == shortcut.Connecting && (m.WaitForConnection.ValueBool() || observed.Silent)
	if !observed.Exists || (observed.Status != shortcut.Error && !missed) {
		return nil
	}
	down := s.WhyDown(ctx)
	return diag.Diagnostics{problemOf(down).warningAt(path.Root("status"))}
}

// identify sets the resource identity, the IDs of the two clusters.
func (m *shortcutModel) identify(ctx context.Context, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	if identity == nil || m.ClientClusterID.ValueString() == "" || m.ServerClusterID.ValueString() == "" {
		return nil
	}
	return identity.Set(ctx, identityModel{ClientClusterID: m.ClientClusterID, ServerClusterID: m.ServerClusterID})
}

func (m *shortcutModel) life() life {
	return life{leaves: []types.String{m.Client, m.Server}, ownerID: m.OwnerID, timeouts: m.Timeouts}
}

// withLogging adds the log subsystem of the steps to the context.
func withLogging(ctx context.Context) context.Context {
	return tflog.NewSubsystem(ctx, shortcut.LogSubsystem)
}

// remove disconnects the leaves.
func (r *shortcutResource) remove(ctx context.Context, model *shortcutModel, own ownership) (diags diag.Diagnostics) {
	self, pair := own.owner(r.leaves.origin()), r.leaves.find(ctx, model)
	removal := model.removal()
	removal.Kept = func(kept shortcut.Kept) {
		diags.Append(report("objects-kept", fmt.Sprintf("Some objects were kept on leaf %q", kept.Leaf), kept.Why).
			asWarning())
	}
	var err error
	switch failed := pair.failed(); {
	case len(failed) == 0:
		err = shortcut.New(pair.client, pair.server).OwnedBy(self).Disconnect(ctx, removal)
	case pair.client == nil && pair.server == nil:
		return pair.obstacles(nothingCleaned)
	case !model.AbandonLostCluster.ValueBool() || !failed[0].isLost():
		return pair.obstacles(giveUpAdvice)
	default:
		var lost recordedLeaf
		if lost, err = pair.disconnectRemaining(ctx, model, self, removal); err == nil {
			diags.Append(onlyOneCleaned(lost))
		}
	}
	if err != nil {
		diags.Append(failureOf("object-not-removed", "The shortcut could not be removed", err).asError())
	}
	return diags
}

// onlyOneCleaned returns the warning that what the lost leaf has stays there.
func onlyOneCleaned(lost recordedLeaf) diag.Diagnostic {
	return report("one-leaf-cleaned", "Only one leaf was cleaned",
		fmt.Sprintf("Cluster %q (%s) is gone. If it still has objects of the shortcut, they stay there.",
			lost.id, lost.name)).asWarning()
}

// disconnectRemaining cleans one leaf if the other one is lost. It returns the lost one.
func (p pair) disconnectRemaining(
	ctx context.Context, model *shortcutModel, self owner.Owner, removal shortcut.Removal,
) (recordedLeaf, error) {
	if p.client == nil {
		lost := model.clientEnd().leaf()
		remaining := shortcut.New(cluster.Absent(lost.name, lost.id), p.server).OwnedBy(self)
		return lost, remaining.DisconnectEnd(ctx, remaining.Server, removal)
	}
	lost := model.serverEnd().leaf()
	remaining := shortcut.New(p.client, cluster.Absent(lost.name, lost.id)).OwnedBy(self)
	return lost, remaining.DisconnectEnd(ctx, remaining.Client, removal)
}
