package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// pair is the two leaves of a shortcut, connected. A leaf that could not be connected to is nil, and its error is set.
type pair struct {
	client, server       *cluster.Leaf
	clientErr, serverErr error
}

// connectBoth connects to both leaves at once.
func connectBoth(client, server func() (*cluster.Leaf, error)) pair {
	var (
		p     pair
		group errgroup.Group
	)
	group.Go(func() error { p.client, p.clientErr = client(); return nil })
	group.Go(func() error { p.server, p.serverErr = server(); return nil })
	_ = group.Wait() // the errors are in the pair
	return p
}

// errors are the diagnostics of the leaves that could not be connected to, each at the attribute that names the leaf.
func (p pair) errors() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(end.diagnostic())
	}
	return diags
}

// troubles are the same for a shortcut on record. A leaf that is lost is only a warning then, with what follows from that: it must not keep everything else from
// being planned.
func (p pair) troubles(consequence string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		if cluster.Lost(end.err) {
			diags.Append(end.warning(consequence))
		} else {
			diags.Append(end.diagnostic())
		}
	}
	return diags
}

// obstacles are the errors again, for a destroy: those of a leaf that is lost say how to do without it.
func (p pair) obstacles() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diagnostic := end.diagnostic()
		if cluster.Lost(end.err) {
			diags.AddAttributeError(end.path(), diagnostic.Summary(), diagnostic.Detail()+"\n\nIf this leaf is gone for good, apply `force_destroy = true` and then "+
				"destroy: only the other leaf is cleaned then.")
		} else {
			diags.Append(diagnostic)
		}
	}
	return diags
}

// failedEnd is a leaf that could not be connected to.
type failedEnd struct {
	attribute string // that names it: client or server
	err       error
}

func (e failedEnd) path() path.Path { return path.Root(e.attribute) }

func (e failedEnd) diagnostic() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(e.path(), summary("Can't connect to the leaf", e.err), detail(e.err))
}

func (e failedEnd) warning(consequence string) diag.Diagnostic {
	diagnostic := e.diagnostic()
	return diag.NewAttributeWarningDiagnostic(e.path(), diagnostic.Summary(), diagnostic.Detail()+"\n\n"+consequence)
}

func (p pair) failed() []failedEnd {
	var ends []failedEnd
	if p.clientErr != nil {
		ends = append(ends, failedEnd{"client", p.clientErr})
	}
	// One name for both leaves gives one error, not two.
	if p.serverErr != nil && (p.clientErr == nil || !errors.Is(p.serverErr, p.clientErr)) {
		ends = append(ends, failedEnd{"server", p.serverErr})
	}
	return ends
}

// differ is an error if both names stand for the same cluster.
func (p pair) differ() diag.Diagnostics {
	var diags diag.Diagnostics
	if p.client != nil && p.server != nil && p.client.ID == p.server.ID {
		diags.AddAttributeError(path.Root("server"), "The same leaf twice", "A shortcut joins two different leaves; \""+
			p.client.Name+"\" and \""+p.server.Name+"\" both stand for cluster \""+string(p.client.ID)+"\".")
	}
	return diags
}

// isAnother reports whether the names now stand for other clusters than those that the shortcut joins.
func (p pair) isAnother(model *shortcutModel) bool {
	return isAnother(p.client, model.ClientClusterID.ValueString()) || isAnother(p.server, model.ServerClusterID.ValueString())
}

// isAnother compares a leaf with the ID that is on record; an empty one is on record before the first apply only.
func isAnother(leaf *cluster.Leaf, id string) bool { return id != "" && string(leaf.ID) != id }

// recordedEnd is what a model says of one end of a shortcut.
type recordedEnd struct {
	name string // of the leaf
	id   string // of the cluster; empty before the first apply
}

// recorded is the end that an attribute names, client or server. Without a model, nothing is on record.
func (m *shortcutModel) recorded(attribute string) recordedEnd {
	switch {
	case m == nil:
		return recordedEnd{}
	case attribute == "client":
		return recordedEnd{m.Client.ValueString(), m.ClientClusterID.ValueString()}
	default:
		return recordedEnd{m.Server.ValueString(), m.ServerClusterID.ValueString()}
	}
}

// mustBe is an error for each name that does not stand for the cluster which the shortcut joins.
func (p pair) mustBe(model *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for attribute, leaf := range map[string]*cluster.Leaf{"client": p.client, "server": p.server} {
		if id := model.recorded(attribute).id; isAnother(leaf, id) {
			diags.AddAttributeError(path.Root(attribute), "Another cluster", "The name \""+leaf.Name+"\" stands for cluster \""+
				string(leaf.ID)+"\" now; the shortcut joins cluster \""+id+"\". Nothing was done. Let the name stand for that cluster "+
				"again, at least until the shortcut is destroyed.")
		}
	}
	return diags
}

// knowsNewNames reports whether each name that a plan changes is known to stand for the cluster on record: the pair is connected by the names of the plan, and
// has been compared with the state.
func (p pair) knowsNewNames(plan, state *shortcutModel) bool {
	return (p.client != nil || plan.Client.Equal(state.Client)) && (p.server != nil || plan.Server.Equal(state.Server))
}
