package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

var _ validator.String = notEmpty{}

// notEmpty refuses a text without a visible character. A credential that is empty, as an unset secret of a CI system is, must not be taken for one that is left
// out: another cluster could stand for the leaf then.
type notEmpty struct{}

// Description implements [validator.String].
func (notEmpty) Description(context.Context) string { return "value must not be empty" }

// MarkdownDescription implements [validator.String].
func (v notEmpty) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements [validator.String]. The error does not repeat the value, which may be secret.
func (notEmpty) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || strings.TrimSpace(req.ConfigValue.ValueString()) != "" {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Empty value", req.Path.String()+" is empty. Give it a value, or leave it out.")
}
