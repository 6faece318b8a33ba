package provider

import (
	"context"
	"time"

	datasourcetimeouts "github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Default timeouts. A cloud's load balancer may take minutes to get its address.
const (
	defaultCreateTimeout = 10 * time.Minute
	defaultReadTimeout   = 2 * time.Minute
	defaultUpdateTimeout = 10 * time.Minute
	defaultDeleteTimeout = 10 * time.Minute
)

// timeoutsAttribute is the `timeouts` of a liqo_shortcut.
func timeoutsAttribute(ctx context.Context) schema.Attribute {
	const (
		unit  = " A number and a unit, such as `90s`, `10m` or `1h`. Default: "
		again = " When it is over, the error says what was waited for, and the next apply goes on from there."
	)
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long it may take until the tunnel is up." + unit + "`10m`." + again,
		Read: true, ReadDescription: "How long a refresh may take." + unit + "`2m`.",
		Update: true, UpdateDescription: "How long a change or a repair may take, until the tunnel is up again." + unit + "`10m`." + again,
		Delete: true, DeleteDescription: "How long it may take until everything is gone. It must be applied before the destroy." + unit + "`10m`.",
	})
}

// readTimeout is the `timeouts` of a data source.
func readTimeout(ctx context.Context) datasourceschema.Attribute {
	return datasourcetimeouts.AttributesWithOpts(ctx, datasourcetimeouts.Opts{
		ReadDescription: "How long a read may take, as a number and a unit: `s`, `m` or `h`. Default: `2m`.",
	})
}

// validateTimeouts refuses timeouts that leave no time at all. What is no duration, the timeouts' own type refuses.
func validateTimeouts(timeouts map[string]attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for operation, value := range timeouts {
		text, ok := value.(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}
		if duration, err := time.ParseDuration(text.ValueString()); err == nil && duration <= 0 {
			diags.AddAttributeError(path.Root("timeouts").AtName(operation), "Timeout must be positive", "A timeout must be longer than zero; this one is \""+
				text.ValueString()+"\".")
		}
	}
	return diags
}
