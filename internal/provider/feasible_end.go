package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// check asks a leaf, and returns what is not possible.
type check func(context.Context) diag.Diagnostics

// askEach asks all questions at the same time. It returns the answers in their order.
func askEach(ctx context.Context, questions []check) diag.Diagnostics {
	return slices.Concat(parallel.Map(questions, func(ask check) diag.Diagnostics { return ask(ctx) })...)
}

// checkedEnd is the part of a plan that concerns one leaf.
type checkedEnd struct {
	end *end.End

	// Of the attributes with the leaf's name, its namespace, its gateway and the gateway's pods.
	leafAt, namespaceAt, gatewayAt, podsAt path.Path

	gateway          *plannedGateway // nil unless all its settings are known
	gatewayChanges   bool            // or is new
	followsChange    bool            // either gateway that exists changes, so that this one has to fit it
	namespace        types.String    // as configured; null leaves the choice to Liqo
	namespaceChanges bool            // or is new
}

// plannedGateway is the settings of a gateway, which are known.
type plannedGateway struct {
	liqo.GatewaySettings

	tunnelKnown bool // so are the settings that it shares with the other gateway
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
	object := p.object(p.leaf, p.plan, p.own)
	here := checkedEnd{
		end: object.End, leafAt: path.Root("cluster"), namespaceAt: path.Root("namespace"), gatewayAt: path.Empty(),
		podsAt: path.Root("pods"), gateway: p.plan.gateway(ctx), gatewayChanges: true, followsChange: p.state != nil,
		namespace: p.config.common().Namespace, namespaceChanges: p.state == nil,
	}
	questions := append(here.checks(), func(ctx context.Context) diag.Diagnostics { return p.plan.check(ctx, object) })
	if p.state == nil {
		object.Create = true
		questions = append(questions, func(ctx context.Context) diag.Diagnostics {
			return p.leaves.checkNotTaken(path.Root("remote_cluster_id"), object.End.Owner, p.reservation(model),
				object.CheckFree(ctx))
		})
	}
	return askEach(ctx, questions)
}

// checks returns what is asked of an end, whichever resource plans it.
func (s checkedEnd) checks() []check {
	return []check{
		s.checkVersion, s.checkNamespace, s.checkDeletions, s.checkTemplate, s.checkServiceMetadata, s.checkTechnology,
		s.checkKeys, s.checkNodePort, s.checkLoadBalancer,
	}
}

// checkVersion finds a version of Liqo that is not supported, or that has a defect.
func (s checkedEnd) checkVersion(ctx context.Context) diag.Diagnostics {
	if _, err := liqo.Version(ctx, s.end.Leaf); err != nil {
		return nil // that of a custom build may be unknown; do not ask again
	}
	if err := liqo.CheckVersion(ctx, s.end.Leaf); err != nil {
		return diag.Diagnostics{
			failureOf("liqo-too-old", "Liqo is older than 1.0", err).errorAt(s.leafAt),
		}
	}
	var diags diag.Diagnostics
	if defect := liqo.Defect(ctx, s.end.Leaf); defect != "" {
		diags.Append(report("liqo-defect", fmt.Sprintf("%s on leaf %q has a defect",
			liqo.Name(ctx, s.end.Leaf), s.end.Leaf.Name),
			defect).warningAt(s.leafAt))
	}
	return diags
}

// checkNamespace finds a namespace that cannot have the objects of this end: the configured one, or the tenant
// namespace.
func (s checkedEnd) checkNamespace(ctx context.Context) diag.Diagnostics {
	if s.namespace.IsUnknown() || !s.namespaceChanges {
		return nil
	}
	return checkUnlessMade(s.namespaceAt, s.end.CheckNamespace(ctx, s.namespace.ValueString()))
}

// checkDeletions warns of what someone is deleting in the way of this end.
func (s checkedEnd) checkDeletions(ctx context.Context) diag.Diagnostics {
	if s.namespace.IsUnknown() {
		return nil
	}
	return checkedWarning(s.leafAt, s.end.CheckDeletions(ctx, s.namespace.ValueString()))
}

// checkTemplate finds a template of the gateway that does not exist, that can't be rendered, or that ignores a setting.
func (s checkedEnd) checkTemplate(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || !s.gatewayChanges && !s.followsChange {
		return nil
	}
	template, err := s.end.CheckTemplate(ctx, s.gateway.GatewaySettings)
	if err != nil {
		return checkResult(s.templatePath(err), err)
	}
	if !s.gatewayChanges {
		return nil
	}
	var diags diag.Diagnostics
	for _, setting := range []struct {
		attribute, field string
		set, used        bool
	}{
		{"node_port", "node port", s.gateway.NodePort != 0, template.TakesNodePort},
		{"load_balancer_ip", "load balancer's address", s.gateway.LoadBalancerIP != "", template.TakesLoadBalancerIP},
	} {
		if setting.set && !setting.used {
			diags.Append(invalid("The template ignores "+setting.attribute,
				fmt.Sprintf("The Service in template %s on leaf %q does not use the %s of the gateway, so `%s` would have no "+
					"effect. Remove it, or set a `template` that uses it.",
					template.Name, s.end.Leaf.Name, setting.field, setting.attribute)).errorAt(s.gatewayAt.AtName(setting.attribute)))
		}
	}
	return diags
}

// templatePath returns the path of the attribute because of which a template can't be used.
func (s checkedEnd) templatePath(err error) path.Path {
	switch setting := end.Inexpressible(err); setting {
	case "", "template":
		return s.gatewayAt.AtName("template")
	case "pods":
		return s.podsAt
	default:
		return s.podsAt.AtName(setting)
	}
}

// checkServiceMetadata finds labels or annotations that Liqo can't set on the gateway's Service.
func (s checkedEnd) checkServiceMetadata(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || !s.gatewayChanges {
		return nil
	}
	attribute := "service_annotations"
	if len(s.gateway.ServiceAnnotations) == 0 {
		attribute = "service_labels"
	}
	return checkResult(s.gatewayAt.AtName(attribute), s.end.CheckServiceMetadata(ctx, s.gateway.GatewaySettings))
}

// checkTechnology finds a gateway that would have to change in place, although its technology can't.
func (s checkedEnd) checkTechnology(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || !s.gateway.tunnelKnown || s.namespace.IsUnknown() || !s.followsChange {
		return nil
	}
	return checkResult(s.gatewayAt.AtName("template"),
		s.end.CheckTechnology(ctx, s.namespace.ValueString(), s.gateway.GatewaySettings))
}

// checkNodePort finds a node port that another Service of the leaf has.
func (s checkedEnd) checkNodePort(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || !s.gatewayChanges {
		return nil
	}
	return checkResult(s.gatewayAt.AtName("node_port"), s.end.CheckNodePort(ctx, s.gateway.GatewaySettings))
}

// checkLoadBalancer warns of a load balancer that has no second address for the gateway's port.
func (s checkedEnd) checkLoadBalancer(ctx context.Context) diag.Diagnostics {
	if s.gateway == nil || !s.gatewayChanges {
		return nil
	}
	return checkedWarning(s.gatewayAt.AtName("port"), s.end.CheckLoadBalancer(ctx, s.gateway.GatewaySettings))
}

// checkKeys finds a Secret that the gateway cannot read its keys from. It depends on the namespace, too.
func (s checkedEnd) checkKeys(ctx context.Context) diag.Diagnostics {
	changes := s.gatewayChanges || s.namespaceChanges
	if s.gateway == nil || !fullyKnown(ctx, s.namespace) || !changes {
		return nil
	}
	secret := liqo.KeySecret{Namespace: s.namespace.ValueString(), Name: s.gateway.KeySecret}
	return checkUnlessMade(s.gatewayAt.AtName("key_secret_name"), s.end.CheckKeySecret(ctx, secret))
}

// checkUnlessMade is like [checkResult], but a missing object is only a warning: the same apply may create it.
func checkUnlessMade(attribute path.Path, err error) diag.Diagnostics {
	if !end.IsMissing(err) {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err,
		"This is only a warning, because the same apply may create it before the shortcut. Otherwise the "+
			"apply fails.").warningAt(attribute)}
}

// checkNotTaken is like [checkResult] for what an instance must not find. It is only a warning if it may be this
// state's own, by what a refresh has read or by where its owner was created: tainted, or under a former address.
func (l *leaves) checkNotTaken(attribute path.Path, self owner.Owner, what reservation, err error) diag.Diagnostics {
	if _, ok := errors.AsType[*trouble.Problem](err); !ok || !l.refreshed.has(what) && !shortcut.MayShareState(self, err) {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err,
		"This is only a warning, because the same apply may destroy the other resource. It may be this resource, "+
			"tainted or under its former address. In all other cases the apply fails.").warningAt(attribute)}
}

// checkedWarning is like [checkResult] for a problem that passes, or that the same apply may remove.
func checkedWarning(attribute path.Path, err error) diag.Diagnostics {
	if _, ok := errors.AsType[*trouble.Problem](err); !ok {
		return checkResult(attribute, err)
	}
	return diag.Diagnostics{explained(err).warningAt(attribute)}
}

// checkResult reports the result of a check at the attribute that the user can change. A problem that would make the
// apply fail is an error. If the leaf cannot be read, it is a warning.
func checkResult(attribute path.Path, err error) diag.Diagnostics {
	if err == nil {
		return nil
	}
	var diags diag.Diagnostics
	if _, ok := errors.AsType[*trouble.Problem](err); ok {
		diags.Append(explained(err).errorAt(attribute))
	} else {
		diags.Append(failureOf("leaf-unreadable", "The leaf can't be checked", err,
			"The plan continues without this check.").warningAt(attribute))
	}
	return diags
}
