package end

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// ErrRules is the cause of a problem with the rules for this leaf.
var ErrRules = errors.New("the rules can't be enforced")

// CheckLimits fails if the gateway on this leaf can't enforce the limits, or has several tunnels, or if a rule for this
// leaf is for a range outside the announced pod CIDRs. Nothing from the other leaf would ever match it.
func (e *End) CheckLimits(ctx context.Context, limits liqo.Limits) error {
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil {
		return err
	}
	if !able.FiltersPackets {
		return &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrRules,
			Summary: fmt.Sprintf("gateways of %s on this leaf can't drop packets", liqo.Name(ctx, e.Leaf)),
			Advice: fmt.Sprintf("So `allow` could not keep anything from crossing. Update Liqo on %q to 1.1 or newer, or "+
				"remove `allow` and let everything cross.", e.Leaf.Name),
		}
	}
	if err := e.checkOneTunnel(ctx); err != nil {
		return err
	}
	if rules := limits.TableRules(); rules > liqo.MaxTableRules {
		return &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrRules,
			Summary: fmt.Sprintf("the gateway would need %d rules, and takes %d", rules, liqo.MaxTableRules),
			Advice: fmt.Sprintf("Each range of a rule of `allow` for %[1]q takes three, and each one for %[2]q takes two. Join "+
				"ranges and ports, or leave `cidrs` out.", e.Leaf.Name, e.Remote.Name),
		}
	}
	for _, rule := range limits.In {
		for _, cidr := range rule.CIDRs {
			if slices.ContainsFunc(limits.Own, func(whole string) bool { return liqo.IsPart(cidr, whole) }) {
				continue
			}
			return &trouble.Problem{
				ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrRules,
				Summary: fmt.Sprintf("a rule allows %s, where %q reaches no pods", cidr, e.Remote.Name),
				Advice: fmt.Sprintf("The pods of %[1]q that %[2]q reaches have addresses in %[3]s. Set `cidrs` to parts of that, "+
					"as %[1]q itself sees them and not as they are remapped on %[2]q, or leave `cidrs` out to allow all of them.",
					e.Leaf.Name, e.Remote.Name, trouble.Enumerate(limits.Own)),
			}
		}
	}
	return nil
}

// OutdatedLimits returns what is wrong with rules that an older version of this provider has written, or nil. An apply
// repairs it. It reads the cache.
func (e *End) OutdatedLimits(ctx context.Context) (*trouble.Problem, error) {
	objects, err := e.Find(ctx)
	if err != nil || objects.Limits() == nil || objects.LimitsVersion() >= liqo.TableVersion {
		return nil, err
	}
	return &trouble.Problem{
		ID: "rules-outdated", Leaf: e.Leaf.Name,
		Summary: "the rules of the gateway are from an older version of this provider",
		Advice: fmt.Sprintf("%s enforces what `allow` says, as that version did. The apply writes the rules of this "+
			"version, in place. Until then, read what has changed in the provider's changelog.",
			e.Leaf.Describe(objects.Firewall)),
	}, nil
}

// checkOneTunnel fails if the gateway has several tunnels. The rules know the device of the first one only.
func (e *End) checkOneTunnel(ctx context.Context) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	if several, err := objects.HasSeveralTunnels(ctx, e.Leaf); err != nil || !several {
		return err
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: ErrRules, Summary: "the gateway has several tunnels",
		Advice: fmt.Sprintf("The rules of `allow` would limit only one of them. Give %s one tunnel, or remove `allow` and "+
			"let everything cross.", e.Leaf.Describe(objects.Gateway.Object)),
	}
}
