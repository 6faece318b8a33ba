package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// failedEnd is a leaf that could not be connected to.
type failedEnd struct {
	attribute string // with its name: client, server or cluster
	err       error
}

// These say what a user can do about a leaf that is lost.
const (
	// giveUpAdvice is for a resource of two leaves.
	giveUpAdvice = "If this leaf is gone for good, apply `abandon_lost_cluster = true`, then destroy. This cleans only " +
		"the other leaf."
	// replaceAdvice is for the same in a plan.
	replaceAdvice = "Nothing is changed. If this leaf is gone for good, apply `abandon_lost_cluster = true`. After " +
		"that, a destroy, or the next apply, which replaces the shortcut, cleans only the other leaf."
	// forgetAdvice is for a resource that nobody can clean up.
	forgetAdvice = "If it is gone for good, remove the resource from the state with `terraform state rm` and the " +
		"resource's address. This changes nothing on any leaf."
	// unwrittenAdvice is for a kubeconfig that does not exist.
	unwrittenAdvice = "If this apply writes the file, the leaf is checked then. Better give the provider the content of " +
		"the resource that writes it, as `config_content`."
	// nothingCleaned is for a resource of two leaves.
	nothingCleaned = "Neither leaf can be cleaned. " + forgetAdvice
)

func (e failedEnd) path() path.Path { return path.Root(e.attribute) }

// isLost reports whether the leaf may be gone for good, or its name refers to another cluster.
func (e failedEnd) isLost() bool { return cluster.Lost(e.err) || isAnotherCluster(e.err) }

// message has advice in paragraphs of its own.
func (e failedEnd) message(advice ...string) message {
	return failureOf("leaf-not-connected", "Can't connect to the leaf", e.err, advice...)
}

// diagnostic returns an error.
func (e failedEnd) diagnostic(advice ...string) diag.Diagnostic {
	return e.message(advice...).errorAt(e.path())
}

// warning returns a warning, with its consequence.
func (e failedEnd) warning(consequence string) diag.Diagnostic {
	return e.message(consequence).warningAt(e.path())
}

// trouble returns the diagnostic of a refresh. A leaf that is lost or does not answer is only a warning, with its
// consequence, so that everything else goes on, and so is one whose kubeconfig the apply may write.
func (e failedEnd) trouble(consequence string) diag.Diagnostic {
	switch {
	case e.isLost() || cluster.Unreachable(e.err):
		return e.warning(consequence)
	case cluster.Unwritten(e.err):
		return e.message(consequence, unwrittenAdvice).warningAt(e.path())
	default:
		return e.diagnostic()
	}
}

// obstacle returns the diagnostic of a destroy. For a leaf that is lost, and not only known under another name, it has
// the advice.
func (e failedEnd) obstacle(advice string) diag.Diagnostic {
	another, ok := errors.AsType[*anotherClusterError](e.err)
	if !e.isLost() || ok && another.former != nil {
		return e.diagnostic()
	}
	return e.diagnostic(advice)
}

// planTrouble returns the diagnostic of a leaf that a plan could not connect to by its name. recorded is the leaf in
// the state, if there is a state. A recorded leaf that is lost is only a warning, and so is one that does not answer,
// or whose kubeconfig does not exist yet. A name that refers to no leaf is an error if its cluster has another name
// now. Otherwise the plan would lose the cluster.
func (l *leaves) planTrouble(ctx context.Context, name string, recorded recordedLeaf, err error) diag.Diagnostic {
	failed := failedEnd{recorded.attribute, err}
	if recorded.id != "" && isUnknownName(err) {
		if leaf, err := l.findRecorded(ctx, recorded); err == nil {
			return report(leafUnknown, "Unknown leaf "+name, fmt.Sprintf("There is no leaf with the name %q. Cluster %q, the "+
				"%s of this resource, has the name %q now. Set `%[3]s = %[4]q`. This changes nothing on any leaf.",
				name, recorded.id, failed.attribute, leaf.Name)).errorAt(failed.path())
		}
	}
	const without = "The plan continues without this leaf. An apply needs it for any change on a leaf."
	switch {
	case cluster.Unwritten(err):
		return failed.message(without, unwrittenAdvice).warningAt(failed.path())
	case cluster.Unreachable(err) || cluster.Lost(err) && name == recorded.name:
		return failed.warning(without)
	default:
		return failed.diagnostic()
	}
}

// recordUnread writes a new resource into the state although the leaves can't be read after its create. What the plan
// did not know is null until the next refresh. Without this, nothing would record what the create has made. failure is
// the error of the create, if it failed; err is that of the read. After a failure, the state of an existing resource
// does not change.
func recordUnread(ctx context.Context, plan any, state *tfsdk.State, failure, err error) diag.Diagnostics {
	var diags diag.Diagnostics
	unread := failureOf("leaves-unread", "The leaves can't be read after the apply", err)
	if failure == nil {
		unread.text += "\n\nEverything is in place. The next refresh shows it."
		diags.Append(unread.asWarning())
	} else {
		diags.Append(unread.asError())
	}
	if !state.Raw.IsNull() && failure != nil || explain.WroteNothing(failure) {
		return diags
	}
	diags.Append(state.Set(ctx, plan)...)
	known, err := tftypes.Transform(state.Raw, func(_ *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if !value.IsKnown() {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
	if err != nil {
		diags.Append(report("state-unreadable", "The state can't be written", err.Error()+".").asError())
	}
	state.Raw = known
	return diags
}
