package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// checkFeasible asks leaves that can be reached whether they can be joined as planned. It is called for a shortcut that is to be made or changed, so that
// a refresh asks nothing.
func checkFeasible(ctx context.Context, pair pair, plan, config *shortcutModel, create bool) diag.Diagnostics {
	if pair.client == nil || pair.server == nil ||
		!fullyKnown(ctx, plan.ServerGateway, plan.ClientGateway, plan.MTU, config.ClientNetwork, config.ServerNetwork) {
		return nil
	}
	spec, diags := plan.spec(ctx, config)
	if diags.HasError() {
		return diags
	}
	shortcut := shortcut.New(pair.client, pair.server)
	diags.Append(checkVersions(ctx, pair)...)
	if err := shortcut.CheckServerTemplate(ctx, spec); err != nil {
		diags.AddAttributeError(path.Root("server_gateway").AtName("template"), summary("The template can't be used", err), detail(err))
	}
	if err := shortcut.CheckClientTemplate(ctx, spec); err != nil {
		diags.AddAttributeError(path.Root("client_gateway").AtName("template"), summary("The template can't be used", err), detail(err))
	}
	if create {
		diags.Append(warnOfRemapping(ctx, shortcut, spec)...)
	}
	return diags
}

func checkVersions(ctx context.Context, pair pair) diag.Diagnostics {
	var diags diag.Diagnostics
	if err := pair.client.CheckLiqoVersion(ctx); err != nil {
		diags.AddAttributeError(path.Root("client"), summary("Unsupported version of Liqo", err), detail(err))
	}
	if err := pair.server.CheckLiqoVersion(ctx); err != nil {
		diags.AddAttributeError(path.Root("server"), summary("Unsupported version of Liqo", err), detail(err))
	}
	return diags
}

// warnOfRemapping tells of each pod CIDR that Liqo will remap; where that is forbidden, it is an error.
func warnOfRemapping(ctx context.Context, s *shortcut.Shortcut, spec shortcut.Spec) diag.Diagnostics {
	var diags diag.Diagnostics
	overlaps, err := s.Overlaps(ctx, spec)
	if err != nil {
		diags.AddWarning(summary("A remapping can't be foreseen", err), detail(err))
		return diags
	}
	for _, overlap := range overlaps {
		if spec.ForbidRemapping {
			diags.AddAttributeError(path.Root("cidr_remapping"), "Remapping is forbidden, and needed", overlap.String())
		} else {
			diags.AddWarning("A pod CIDR will be remapped", overlap.String()+" The remapped attributes tell where the pods are reached.")
		}
	}
	return diags
}

// claims are the pairs of leaves for which this provider process has planned a shortcut.
type claims struct {
	mu    sync.Mutex
	pairs map[[2]string]string // the instance's token, keyed by the two cluster IDs, sorted
}

// claim fails if another instance has claimed the pair already, in either direction. Terraform plans one instance twice when it is to be replaced.
func (c *claims) claim(pair pair, token string) diag.Diagnostics {
	key := [2]string{string(pair.client.ID), string(pair.server.ID)}
	if key[0] > key[1] {
		key[0], key[1] = key[1], key[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, claimed := c.pairs[key]; claimed && other != token {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("server"), "The same pair twice", fmt.Sprintf(
			"Another liqo_shortcut of this configuration already joins clusters %q and %q, in this direction or the other. One pair of leaves can have one "+
				"shortcut only.", key[0], key[1]))}
	}
	if c.pairs == nil {
		c.pairs = map[[2]string]string{}
	}
	c.pairs[key] = token
	return nil
}
