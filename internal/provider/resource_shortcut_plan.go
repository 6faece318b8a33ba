package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// planning is the plan of a shortcut while it is made.
type planning struct {
	*proposal[*shortcutModel]

	leaves *leaves
	origin owner.Origin
	pair   pair // empty until the leaves are known
	broken bool // an apply repairs the shortcut
}

// begin returns the plan. It finds problems before the apply: names that refer to no cluster, to the same cluster, or
// to another cluster than before, and leaves that cannot be connected as planned. It also finds a shortcut that needs
// repair.
func (r *shortcutResource) begin(p *proposal[*shortcutModel]) planner {
	return &planning{proposal: p, leaves: r.leaves, origin: r.leaves.origin()}
}

func (p *planning) propose(ctx context.Context) diag.Diagnostics {
	if p.state != nil {
		p.plan.OwnerID = p.state.OwnerID
	}
	diags := p.planPair(ctx)
	if p.state != nil && !diags.HasError() {
		diags.Append(p.planUpdate(ctx)...)
	}
	return diags
}

func (p *planning) foresee(ctx context.Context) diag.Diagnostics {
	p.plan.Status = types.StringUnknown()
	if p.own.Claims && p.state != nil {
		p.plan.OwnerID = types.StringValue(p.own.Token)
	}
	p.plan.ServerEndpoint = types.ObjectUnknown(endpointTypes)
	if p.state != nil && len(p.replace) == 0 && !p.broken && !p.plan.mayMove(ctx, p.state) {
		p.plan.ServerEndpoint = p.state.ServerEndpoint
	}
	if len(p.replace) > 0 {
		return nil
	}
	return append(checkFeasible(ctx, p), p.costs(ctx)...)
}

// planUpdate plans the change of an existing shortcut.
func (p *planning) planUpdate(ctx context.Context) diag.Diagnostics {
	diags := p.planRepair(ctx)
	diags.Append(p.planNamespaces(ctx)...)
	p.planMoves()
	p.keepsLeaves = !p.broken && p.planSettings(ctx)
	return diags
}

// planRepair plans an update of a shortcut that an apply can repair. If a leaf is lost and abandon_lost_cluster gives
// it up, there is no repair, because abandon_lost_cluster must be applied without this leaf.
func (p *planning) planRepair(ctx context.Context) diag.Diagnostics {
	var (
		repair   shortcut.Repair
		standbys []*trouble.Problem
	)
	switch status := shortcut.Status(p.state.Status.ValueString()); {
	case p.givesUp():
		return nil
	case status == shortcut.Disconnected:
		repair.Needed = true
	case p.pair.client != nil && p.pair.server != nil:
		s := shortcut.New(p.pair.client, p.pair.server).OwnedBy(p.own.owner(p.origin))
		repair, standbys = s.Repair(ctx, status), p.standbysMissing(ctx, s)
	}
	if p.broken = repair.Needed; p.broken {
		p.plan.ServerEndpoint, p.plan.Status = types.ObjectUnknown(endpointTypes), types.StringUnknown()
	}
	return repairWarnings(repair, standbys...)
}

// standbysMissing returns for each gateway that has several replicas, and keeps them, why none could take over.
func (p *planning) standbysMissing(ctx context.Context, s *shortcut.Shortcut) []*trouble.Problem {
	ends := p.ends()
	return parallel.Map([]int{0, 1}, func(i int) *trouble.Problem {
		return standbyMissing(ctx, s.Ends()[i], ends[i].planned.known(ctx))
	})
}

// standbyMissing returns why no replica of a gateway could take over, unless it shall have only one. The settings are
// nil if they are not known.
func standbyMissing(ctx context.Context, e *end.End, settings *liqo.GatewaySettings) *trouble.Problem {
	if settings != nil && (settings.Pods == nil || settings.Pods.Replicas < 2) {
		return nil
	}
	return e.StandbyMissing(ctx)
}

// repairWarnings warns of what an apply repairs without a change in the configuration, and of missing standbys.
func repairWarnings(repair shortcut.Repair, standbys ...*trouble.Problem) diag.Diagnostics {
	diags := warningsOf(append(repair.Outdated, standbys...)...)
	if repair.Err != nil {
		diags.Append(because("repairs-not-checked", "The leaves can't be checked for repairs", repair.Err).asWarning())
	}
	return diags
}

// planSettings plans that the shortcut stays as it is, and returns true, if the leaves stay unchanged. The first update
// after an import changes them, because it marks the network, but not if it gives up a lost leaf. Then a later update
// marks it.
func (p *planning) planSettings(ctx context.Context) bool {
	marks := p.own.Claims && !p.givesUp()
	if marks || !p.pair.knowsNewNames(p.plan, p.state) || !p.plan.changesSettingsOnly(ctx, p.state) {
		return false
	}
	p.plan.Status, p.plan.ServerEndpoint = p.state.Status, p.state.ServerEndpoint
	return true
}

// givesUp reports whether a leaf is lost and the plan has abandon_lost_cluster.
func (p *planning) givesUp() bool {
	return p.plan.AbandonLostCluster.ValueBool() && len(p.pair.failed()) > 0
}
