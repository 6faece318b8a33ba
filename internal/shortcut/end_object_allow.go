package shortcut

import (
	"context"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// CheckAllow fails if the gateway on this leaf can't enforce what may cross, or if a rule for this leaf is for ranges
// without pods. The ranges of the other leaf are not known here.
func (o EndObject) CheckAllow(ctx context.Context, allow *Allow) error {
	limits, err := o.limits(ctx, allow)
	if err != nil || limits == nil {
		return err
	}
	return o.End.CheckLimits(ctx, *limits)
}

// limits returns what may cross as this end enforces it, or nil if everything may. A rule without ranges is for all
// pods of this leaf: which of them the other leaf gets to know is decided there.
func (o EndObject) limits(ctx context.Context, allow *Allow) (*liqo.Limits, error) {
	if allow == nil {
		return nil, nil //nolint:nilnil // no limits
	}
	own, err := liqo.RangesOf(ctx, o.End.Leaf)
	return allow.Limits(own, anywhere, o.isClient()), err
}

func (o EndObject) limitsOf(e *endSteps, allow *Allow) *steps.Step[*liqo.Limits] {
	return steps.Do(e.run, e.Leaf.Name, "what may cross", func(ctx context.Context) (*liqo.Limits, error) {
		return o.limits(ctx, allow)
	})
}

// isClient reports whether the gateway of this end dials the other one.
func (o EndObject) isClient() bool { return o.End.Owner.Resource == owner.GatewayClientResource }

// allow returns what may cross as this end enforces it, or nil if everything may, or if someone has edited or removed
// the rules. A shortcut may announce a part of the pods only. So the rules that an import takes over from one may be
// for this part, and say so.
func (o EndObject) allow(ctx context.Context, objects liqo.Objects) (*Allow, error) {
	limits := objects.Limits()
	if limits == nil {
		return nil, nil //nolint:nilnil // no limits
	}
	own, err := liqo.RangesOf(ctx, o.End.Leaf)
	if !slices.Equal(limits.Own, own.PodCIDRs) {
		for i, rule := range limits.In {
			if len(rule.CIDRs) == 0 {
				limits.In[i].CIDRs = limits.Own
			}
		}
	}
	return allowAt(limits, o.isClient()), err
}
