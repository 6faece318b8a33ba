package end

import (
	"context"
	"errors"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
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

// about is the cause of a problem with another setting than the one that its check is about.
type about Setting

// Error implements [error].
func (a about) Error() string { return "it is about " + string(a) }

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

// check asks a leaf one question about an end.
type check struct {
	when  func(Intent) bool // it matters, and enough is known for it
	kind  Kind
	about Setting
	ask   func(*End, context.Context, Intent) error
}

// lasting are the checks of what lasts until an apply. The apply asks them again before its first write, because an end
// is changed together with the other one, and would otherwise not fit it.
var lasting = []check{
	{Intent.concernsGateway, Refuses, "service_annotations", ofGateway((*End).checkServiceMetadata)},
	{Intent.follows, Refuses, "template", (*End).checkTechnology},
	{Intent.concernsGateway, Refuses, "template", (*End).checkTemplate},
	{Intent.concernsKeys, Awaits, "key_secret_name", (*End).checkKeySecret},
}

// checks are those of a plan, in the order in which a user reads what they find.
var checks = slices.Concat([]check{
	{always, Refuses, "", ofLeaf(liqo.CheckVersion)},
	{always, Warns, "", ofLeaf(liqo.CheckDefect)},
	{Intent.changesNamespace, Awaits, "namespace", ofNamespace((*End).checkNamespace)}, // an apply waits for its deletion
	{Intent.knowsNamespace, Warns, "", ofNamespace((*End).checkDeletions)},
}, lasting, []check{
	{Intent.changesGateway, Refuses, "node_port", ofGateway((*End).checkNodePort)}, // an apply may remove who has it
	{Intent.changesGateway, Warns, "port", ofGateway((*End).checkLoadBalancer)},
})

func ofLeaf(ask func(context.Context, *cluster.Leaf) error) func(*End, context.Context, Intent) error {
	return func(e *End, ctx context.Context, _ Intent) error { return ask(ctx, e.Leaf) }
}

func ofNamespace(ask func(*End, context.Context, string) error) func(*End, context.Context, Intent) error {
	return func(e *End, ctx context.Context, intent Intent) error { return ask(e, ctx, *intent.Namespace) }
}

func ofGateway(ask func(*End, context.Context, liqo.GatewaySettings) error) func(*End, context.Context, Intent) error {
	return func(e *End, ctx context.Context, intent Intent) error { return ask(e, ctx, *intent.Gateway) }
}

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
	return e.askAll(ctx, checks, intent)
}

// CheckAgain fails if something stands in the way of an end that is to be changed now.
func (e *End) CheckAgain(ctx context.Context, intent Intent) error {
	if found := e.askAll(ctx, lasting, intent); len(found) > 0 {
		return refusal(found[0].Err)
	}
	return nil
}

// askAll asks all questions at the same time.
func (e *End) askAll(ctx context.Context, checks []check, intent Intent) []Finding {
	found := parallel.Map(checks, func(c check) Finding {
		if !c.when(intent) {
			return Finding{}
		}
		return c.found(c.ask(e, ctx, intent))
	})
	return slices.DeleteFunc(found, func(finding Finding) bool { return finding.Err == nil })
}

// found returns what a check has found.
func (c check) found(err error) Finding {
	finding := Finding{c.about, c.kind, err}
	if c.kind == Awaits && !isMissing(err) {
		finding.Kind = Refuses
	}
	if other, ok := errors.AsType[about](err); ok {
		finding.About = Setting(other)
	}
	return finding
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
