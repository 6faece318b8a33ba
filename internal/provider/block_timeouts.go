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

// Default timeouts. A cloud's load balancer may need minutes to get its address.
const (
	defaultCreateTimeout = 10 * time.Minute
	defaultReadTimeout   = 2 * time.Minute
	defaultUpdateTimeout = 10 * time.Minute
	defaultDeleteTimeout = 10 * time.Minute
)

// timeoutTexts describe the timeouts of a resource: what happens at most that long, and what an error after a create or
// an update says. The last one may be empty.
type timeoutTexts struct{ create, update, remove, after string }

// attribute returns the schema of `timeouts`.
func (t timeoutTexts) attribute(ctx context.Context) schema.Attribute {
	const unit = " A number and a unit, such as `90s`, `10m` or `1h`. Default: "
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create:            true,
		CreateDescription: "Maximum time " + t.create + "." + unit + "`10m`." + t.after,
		Read:              true,
		ReadDescription:   "Maximum time of a refresh, and of a plan." + unit + "`2m`.",
		Update:            true,
		UpdateDescription: "Maximum time " + t.update + "." + unit + "`10m`." + t.after,
		Delete:            true,
		DeleteDescription: "Maximum time " + t.remove + ". To change it for a destroy, apply the change first." + unit +
			"`10m`.",
	})
}

var shortcutTimeouts = timeoutTexts{
	create: "until the tunnel is up",
	update: "of a change or a repair, until the tunnel is up again",
	remove: "until everything is removed",
	after:  " After this time, the error says what the provider waited for, and what to do.",
}

// readTimeout returns the schema of `timeouts` of a data source.
func readTimeout(ctx context.Context) datasourceschema.Attribute {
	return datasourcetimeouts.AttributesWithOpts(ctx, datasourcetimeouts.Opts{
		ReadDescription: "Maximum time of a read, as a number and a unit: `s`, `m` or `h`. Default: `2m`.",
	})
}

// validateTimeouts rejects timeouts of zero or less. The type of the timeouts rejects values that are not durations.
func validateTimeouts(timeouts map[string]attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for operation, value := range timeouts {
		text, ok := value.(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}
		if duration, err := time.ParseDuration(text.ValueString()); err == nil && duration <= 0 {
			diags.Append(invalid("Timeout must be positive",
				"A timeout must be longer than zero. This one is \""+text.ValueString()+"\".").
				errorAt(path.Root("timeouts").AtName(operation)))
		}
	}
	return diags
}
