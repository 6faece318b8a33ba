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
