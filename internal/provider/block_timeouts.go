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

// timeoutsAttribute returns the schema of `timeouts` of a resource.
func timeoutsAttribute(ctx context.Context) schema.Attribute {
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create:            true,
		CreateDescription: "Maximum time of a create. Default: `10m`.",
		Read:              true,
		ReadDescription:   "Maximum time of a refresh or a plan. Default: `2m`.",
		Update:            true,
		UpdateDescription: "Maximum time of a change or a repair. Default: `10m`.",
		Delete:            true,
		DeleteDescription: "Maximum time of a destroy. Apply it before the destroy. Default: `10m`.",
	})
}

// readTimeout returns the schema of `timeouts` of a data source.
func readTimeout(ctx context.Context) datasourceschema.Attribute {
	return datasourcetimeouts.AttributesWithOpts(ctx, datasourcetimeouts.Opts{
		ReadDescription: "Maximum time of a read. Default: `2m`.",
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
