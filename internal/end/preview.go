package end

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// What can stand in the way of an end is asked here, before anything is written: by a plan, and again by the first
// steps of an apply. What makes the objects does not ask again.

// Intent is an end as it shall be, as far as it is known.
type Intent struct {
	// Namespace is the one that the user sets, or empty for the tenant namespace. It is nil if it is not known yet.
	Namespace *string
	// Gateway has the settings of the gateway. It is nil if there is to be none, or if some of them are not known yet.
	Gateway *liqo.GatewaySettings
	// TunnelUnknown means that those are not known yet which both gateways have in common.
	TunnelUnknown bool

	NewNamespace bool // the namespace is new, or another one than before
	NewGateway   bool // the gateway is new, or has other settings than before
	Follows      bool // there was a gateway, and it or the one at the other end changes, so that it has to fit
}

// Setting is what the user can change about a [Finding], by the name of its attribute: `namespace`, `pods`, an
// attribute of `pods` after a dot, or an attribute of the gateway. It is empty for the leaf as a whole.
type Setting string

// Finding is something that stands in the way of an [Intent].
type Finding struct {
	About Setting
	Kind  Kind
	Err   error // a [trouble.Problem], or why the leaf can't say
}

// Kind says what a [Finding] means for an apply.
type Kind int

// The values of [Kind].
const (
	Refuses Kind = iota // an apply would fail
	Awaits              // it would fail unless what is missing is made before, perhaps by itself
	Warns               // it may pass
)

// check asks a leaf one question about an end. The finding has no error if all is well.
type check struct {
	when func(Intent) bool // it matters, and enough is known for it
	ask  func(*End, context.Context, Intent) Finding
}

// lasting are the checks of what lasts until an apply. The apply asks them again before its first write, because an end
// is changed together with the other one, and would otherwise not fit it.
var lasting = []check{
	{Intent.concernsGateway, (*End).asksServiceMetadata},
	{Intent.follows, (*End).asksTechnology},
	{Intent.concernsGateway, (*End).asksTemplate},
	{Intent.concernsKeys, (*End).asksKeys},
}

// checks are those of a plan, in the order in which a user reads what they find.
var checks = slices.Concat([]check{
	{always, (*End).asksVersion},
	{Intent.changesNamespace, (*End).asksNamespace}, // an apply waits for what is being deleted in its place
	{Intent.knowsNamespace, (*End).asksDeletions},
}, lasting, []check{
	{Intent.changesGateway, (*End).asksNodePort}, // the apply may remove the Service that has it
	{Intent.changesGateway, (*End).asksLoadBalancer},
})

func always(Intent) bool { return true }

func (i Intent) knowsNamespace() bool   { return i.Namespace != nil }
func (i Intent) changesNamespace() bool { return i.knowsNamespace() && i.NewNamespace }
func (i Intent) changesGateway() bool   { return i.Gateway != nil && i.NewGateway }
func (i Intent) concernsGateway() bool  { return i.Gateway != nil && (i.NewGateway || i.Follows) }

func (i Intent) concernsKeys() bool {
	return i.Gateway != nil && i.knowsNamespace() && (i.NewGateway || i.NewNamespace)
}

func (i Intent) follows() bool {
	return i.Gateway != nil && !i.TunnelUnknown && i.knowsNamespace() && i.Follows
}

// Preview returns what stands in the way of an end. It only reads.
func (e *End) Preview(ctx context.Context, intent Intent) []Finding {
	return e.ask(ctx, checks, intent)
}

// CheckAgain fails if something stands in the way of an end that is to be changed now.
func (e *End) CheckAgain(ctx context.Context, intent Intent) error {
	if found := e.ask(ctx, lasting, intent); len(found) > 0 {
		return refusal(found[0].Err)
	}
	return nil
}

// ask asks all questions at the same time.
func (e *End) ask(ctx context.Context, questions []check, intent Intent) []Finding {
	found := parallel.Map(questions, func(question check) Finding {
		if !question.when(intent) {
			return Finding{}
		}
		return question.ask(e, ctx, intent)
	})
	return slices.DeleteFunc(found, func(finding Finding) bool { return finding.Err == nil })
}

// refusal returns the error of a check before the first write.
func refusal(err error) error {
	problem, ok := errors.AsType[*trouble.Problem](err)
	if !ok {
		return err
	}
	refused := *problem
	refused.Refused, refused.Advice = true, problem.Advice+" Nothing was changed."
	return &refused
}

// asksVersion finds a version of Liqo that is not supported, or that has a defect. That of a custom build may be
// unknown.
func (e *End) asksVersion(ctx context.Context, _ Intent) Finding {
	if _, err := liqo.Version(ctx, e.Leaf); err != nil {
		return Finding{}
	}
	if err := liqo.CheckVersion(ctx, e.Leaf); err != nil {
		return Finding{"", Refuses, err}
	}
	defect := liqo.Defect(ctx, e.Leaf)
	if defect == "" {
		return Finding{}
	}
	return Finding{"", Warns, &trouble.Problem{
		ID: "liqo-defect", Advice: defect,
		Summary: fmt.Sprintf("%s on leaf %q has a defect", liqo.Name(ctx, e.Leaf), e.Leaf.Name),
	}}
}

// asksNamespace finds a namespace that can't have the objects of this end.
func (e *End) asksNamespace(ctx context.Context, intent Intent) Finding {
	return unlessMade("namespace", e.checkNamespace(ctx, *intent.Namespace))
}

// unlessMade returns what a check has found that passes if an object is missing, and someone makes it.
func unlessMade(about Setting, err error) Finding {
	if isMissing(err) {
		return Finding{about, Awaits, err}
	}
	return Finding{about, Refuses, err}
}

// asksDeletions finds what someone is deleting in the way of this end.
func (e *End) asksDeletions(ctx context.Context, intent Intent) Finding {
	return Finding{"", Warns, e.checkDeletions(ctx, *intent.Namespace)}
}

// asksServiceMetadata finds labels or annotations that Liqo can't set on the gateway's Service.
func (e *End) asksServiceMetadata(ctx context.Context, intent Intent) Finding {
	about := Setting("service_annotations")
	if len(intent.Gateway.ServiceAnnotations) == 0 {
		about = "service_labels"
	}
	return Finding{about, Refuses, e.checkServiceMetadata(ctx, *intent.Gateway)}
}

// asksTechnology finds a gateway that would have to change in place, although its technology can't.
func (e *End) asksTechnology(ctx context.Context, intent Intent) Finding {
	return Finding{"template", Refuses, e.checkTechnology(ctx, *intent.Namespace, *intent.Gateway)}
}

// asksTemplate finds a template of the gateway that does not exist, that can't be rendered, or that ignores a setting
// of a new gateway.
func (e *End) asksTemplate(ctx context.Context, intent Intent) Finding {
	template, err := e.checkTemplate(ctx, *intent.Gateway)
	if failure, ok := errors.AsType[*inexpressible](err); ok {
		return Finding{failure.about(), Refuses, err}
	}
	if err != nil || !intent.NewGateway {
		return Finding{"template", Refuses, err}
	}
	about, err := e.ignored(template, *intent.Gateway)
	return Finding{about, Refuses, err}
}

// asksKeys finds a Secret that the gateway can't read its keys from.
func (e *End) asksKeys(ctx context.Context, intent Intent) Finding {
	secret := liqo.KeySecret{Namespace: *intent.Namespace, Name: intent.Gateway.KeySecret}
	return unlessMade("key_secret_name", e.checkKeySecret(ctx, secret))
}

// asksNodePort finds a node port that another Service of the leaf has.
func (e *End) asksNodePort(ctx context.Context, intent Intent) Finding {
	return Finding{"node_port", Refuses, e.checkNodePort(ctx, *intent.Gateway)}
}

// asksLoadBalancer finds a load balancer that has no second address for the gateway's port.
func (e *End) asksLoadBalancer(ctx context.Context, intent Intent) Finding {
	return Finding{"port", Warns, e.checkLoadBalancer(ctx, *intent.Gateway)}
}
