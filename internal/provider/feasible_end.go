package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// check asks leaves, and returns what is not possible.
type check func(context.Context) diag.Diagnostics

// askEach asks all questions at the same time. It returns the answers in their order.
func askEach(ctx context.Context, questions []check) diag.Diagnostics {
	return slices.Concat(parallel.Map(questions, func(ask check) diag.Diagnostics { return ask(ctx) })...)
}

// endPaths are the paths of what a user sets of one end: the leaf's name, the namespace, the gateway and its pods.
type endPaths struct{ leaf, namespace, gateway, pods path.Path }

// to returns the path of a setting.
func (p endPaths) to(setting end.Setting) path.Path {
	name, ofPods, isOfPods := strings.Cut(string(setting), ".")
	switch {
	case name == "":
		return p.leaf
	case name == "namespace":
		return p.namespace
	case isOfPods:
		return p.pods.AtName(ofPods)
	case name == "pods":
		return p.pods
	default:
		return p.gateway.AtName(name)
	}
}

// preview asks a leaf what stands in the way of an end with these paths.
func (p endPaths) preview(e *end.End, intent end.Intent) check {
	return func(ctx context.Context) diag.Diagnostics {
		var diags diag.Diagnostics
		for _, finding := range e.Preview(ctx, intent) {
			diags.Append(checked(p.to(finding.About), finding.Kind, finding.Err))
		}
		return diags
	}
}

// namespaceOf returns a configured namespace as an intent has it.
func namespaceOf(configured types.String) *string {
	if configured.IsUnknown() {
		return nil
	}
	return new(configured.ValueString())
}

// checkFeasible asks the leaf whether a new or changed object is possible.
func (p *endPlanning[M, P]) checkFeasible(ctx context.Context) diag.Diagnostics {
	model := p.plan.common()
	if !given(model.RemoteClusterID) {
		return nil
	}
	if model.RemoteClusterID.ValueString() == string(p.leaf.ID) {
		return diag.Diagnostics{invalid("The same cluster twice",
			fmt.Sprintf("`remote_cluster_id` must be the ID of the other cluster, but %q is the ID of this one.", p.leaf.ID)).
			errorAt(path.Root("remote_cluster_id"))}
	}
	object, intent := p.object(p.leaf, p.plan, p.own), p.plan.intent(ctx)
	intent.Namespace = namespaceOf(p.config.common().Namespace)
	intent.NewNamespace, intent.NewGateway, intent.Follows = p.state == nil, true, p.state != nil
	paths := endPaths{path.Root("cluster"), path.Root("namespace"), path.Empty(), path.Root("pods")}
	questions := []check{
		paths.preview(object.End, intent), func(ctx context.Context) diag.Diagnostics { return p.plan.check(ctx, object) },
	}
	if p.state == nil {
		object.Create = true
		questions = append(questions, func(ctx context.Context) diag.Diagnostics {
			return p.leaves.checkNotTaken(path.Root("remote_cluster_id"), object.End.Owner, p.reservation(model),
				object.CheckFree(ctx))
		})
	}
	return askEach(ctx, questions)
}

// checkNotTaken is like [checkResult] for what an instance must not find. It is only a warning if it may be this
// state's own, by what a refresh has read or by where its owner was created: tainted, or under a former address. It is
// also one if the refresh has found that this state's own has another owner now: Terraform plans also before a destroy,
// and a plan that fails would keep in the state what is no longer its own.
func (l *leaves) checkNotTaken(attribute path.Path, self owner.Owner, what reservation, err error) diag.Diagnostics {
	if _, ok := errors.AsType[*trouble.Problem](err); !ok || !l.refreshed.has(what) && !shortcut.MayShareState(self, err) {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err,
		"This is only a warning, because the same apply may destroy the other resource. It may be this resource, "+
			"tainted or under its former address. In all other cases an apply fails, and a destroy takes nothing of "+
			"it.").warningAt(attribute)}
}

// checkResult reports the result of a check that would make the apply fail, if it is an error.
func checkResult(attribute path.Path, err error) diag.Diagnostics {
	if err == nil {
		return nil
	}
	return diag.Diagnostics{checked(attribute, end.Refuses, err)}
}

// checked reports what a check has found at the attribute that the user can change. If the leaf can't be read, it is a
// warning.
func checked(attribute path.Path, kind end.Kind, err error) diag.Diagnostic {
	if _, ok := errors.AsType[*trouble.Problem](err); !ok {
		return failureOf("leaf-unreadable", "The leaf can't be checked", err,
			"The plan continues without this check.").warningAt(attribute)
	}
	switch kind {
	case end.Refuses:
		return explained(err).errorAt(attribute)
	case end.Awaits:
		return explained(err, "This is only a warning, because the same apply may create it before the shortcut. "+
			"Otherwise the apply fails.").warningAt(attribute)
	default:
		return explained(err).warningAt(attribute)
	}
}
