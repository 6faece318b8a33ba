package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// planRanges plans a replacement if announced ranges change and Liqo on the leaf that gets them does not follow. Then
// it drops the state.
func (p *planning) planRanges(ctx context.Context) diag.Diagnostics {
	if p.state == nil {
		return nil
	}
	var diags diag.Diagnostics
	for _, end := range p.ends() {
		if end.other == nil || !announcesOthers(*end.planned.network, *end.recorded.network) {
			continue
		}
		attribute := end.planned.path("network")
		able, err := liqo.CapabilitiesOf(ctx, end.other)
		if err != nil {
			diags.Append(failureOf("leaf-unreadable", "The leaf can't be checked", err).warningAt(attribute))
			continue
		}
		if able.FollowsConfigurations {
			continue
		}
		diags.Append(report("shortcut-replaced", "The shortcut is replaced",
			fmt.Sprintf("Liqo before 1.2, as on leaf %[1]q, does not follow a change of the address ranges of %[2]q. So the "+
				"plan creates the shortcut again. There is no network between the leaves meanwhile, and the gateway may get "+
				"another address. Update Liqo on %[1]q to change the ranges in place.",
				end.other.Name, end.planned.name.ValueString())).
			warningAt(attribute))
		p.replace = append(p.replace, attribute)
	}
	if len(p.replace) > 0 {
		p.becomesAnother()
		p.state = nil
	}
	return diags
}

// announcesOthers reports whether other ranges are announced than before. Nothing has been announced to a leaf that has
// lost its Configuration.
func announcesOthers(planned, before types.Object) bool {
	for _, name := range []string{"pod_cidrs", "external_cidr"} {
		recorded, ok := before.Attributes()[name]
		if ok && !recorded.IsNull() && !recorded.Equal(planned.Attributes()[name]) {
			return true
		}
	}
	return false
}
