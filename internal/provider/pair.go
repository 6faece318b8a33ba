package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// pair holds the connections to the two leaves of a shortcut. If a connection failed, the leaf is
// nil and its error is set.
type pair struct {
	client, server       *cluster.Leaf
	clientErr, serverErr error
}

// connectBoth connects to both leaves in parallel.
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

// errors returns the diagnostics of the leaves that could not be connected to. Each refers to the
// attribute with the name of the leaf.
func (p pair) errors() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diags.Append(end.diagnostic())
	}
	return diags
}

// troubles returns the same diagnostics for an existing shortcut. A lost leaf is only a warning
// then, with its consequence, so that the plan continues for everything else.
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

// obstacles returns the same diagnostics for a destroy. For a lost leaf they say how to destroy
// without it.
func (p pair) obstacles() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range p.failed() {
		diagnostic := end.diagnostic()
		if cluster.Lost(end.err) {
			diags.AddAttributeError(end.path(), diagnostic.Summary(), diagnostic.Detail()+"\n\nIf this leaf is gone for good, "+
				"apply `force_destroy = true`, then destroy. This cleans only the other leaf.")
		} else {
			diags.Append(diagnostic)
		}
	}
	return diags
}

// failedEnd is a leaf that could not be connected to.
type failedEnd struct {
	attribute string // with its name: client or server
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
	// The same name for both leaves gives one error, not two.
	if p.serverErr != nil && (p.clientErr == nil || !errors.Is(p.serverErr, p.clientErr)) {
		ends = append(ends, failedEnd{"server", p.serverErr})
	}
	return ends
}

// differ returns an error if both names refer to the same cluster.
func (p pair) differ() diag.Diagnostics {
	var diags diag.Diagnostics
	if p.client != nil && p.server != nil && p.client.ID == p.server.ID {
		diags.AddAttributeError(path.Root("server"), "The same leaf twice", fmt.Sprintf(
			"A shortcut connects two different leaves, but %q and %q both refer to cluster %q.",
			p.client.Name, p.server.Name, p.client.ID))
	}
	return diags
}

// isAnother reports whether a name now refers to another cluster than the one that the shortcut
// connects.
func (p pair) isAnother(model *shortcutModel) bool {
	return isAnother(p.client, model.ClientClusterID.ValueString()) ||
		isAnother(p.server, model.ServerClusterID.ValueString())
}

// isAnother reports whether a leaf has another ID than the recorded one. The recorded ID is empty
// before the first apply.
func isAnother(leaf *cluster.Leaf, id string) bool { return id != "" && string(leaf.ID) != id }

// anotherClusterError returns the error that the name of an attribute refers to another cluster than the recorded one.
func anotherClusterError(attribute string, leaf *cluster.Leaf, id string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), "Another cluster", fmt.Sprintf("The name %q refers to "+
		"cluster %q now, but the resource is for cluster %q. Nothing was changed. Let the name refer to the old cluster "+
		"again, at least until the resource is destroyed.", leaf.Name, leaf.ID, id))
}

// anotherClusterWarning returns the warning that a plan replaces a resource, because the name of an attribute refers to
// another cluster than the recorded one.
func anotherClusterWarning(attribute string, leaf *cluster.Leaf, id string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(attribute), "Another cluster", fmt.Sprintf("The resource is for "+
		"cluster %q, but the name %q refers to cluster %q now. So the plan replaces the resource.", id, leaf.Name, leaf.ID))
}

// recordedEnd is the recorded leaf of one end of a shortcut.
type recordedEnd struct {
	name string // of the leaf
	id   string // of the cluster; empty before the first apply
}

// recorded returns the recorded leaf of an attribute, client or server. It is empty if the model is
// nil.
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

// mustBe returns an error for each name that refers to another cluster than the one that the
// shortcut connects.
func (p pair) mustBe(model *shortcutModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for attribute, leaf := range map[string]*cluster.Leaf{"client": p.client, "server": p.server} {
		if id := model.recorded(attribute).id; isAnother(leaf, id) {
			diags.Append(anotherClusterError(attribute, leaf, id))
		}
	}
	return diags
}

// knowsNewNames reports whether each name that a plan changes is known to refer to the recorded
// cluster. The pair is connected by the names in the plan, and has been compared with the state.
func (p pair) knowsNewNames(plan, state *shortcutModel) bool {
	return (p.client != nil || plan.Client.Equal(state.Client)) && (p.server != nil || plan.Server.Equal(state.Server))
}
