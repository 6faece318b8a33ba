package provider

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"k8s.io/apimachinery/pkg/util/validation"
)

var _ validator.String = textValidator{}

// textValidator accepts texts of which valid is true.
type textValidator struct {
	summary string // of the error for other texts
	must    string // completes "the value …"
	valid   func(string) bool
}

// hostAddress accepts what a gateway can dial: an IP address or a DNS name, without a port.
func hostAddress() validator.String {
	return textValidator{
		summary: "Not an address", must: "must be an IP address or a DNS name, without a port",
		valid: func(text string) bool {
			_, err := netip.ParseAddr(text)
			return err == nil || len(validation.IsDNS1123Subdomain(text)) == 0
		},
	}
}

// cidr accepts an IP prefix. It is for elements of a list: the framework does not ask their types to validate them.
func cidr() validator.String {
	return textValidator{
		summary: "Not a CIDR", must: "must be an address range in CIDR notation, such as 10.1.0.0/16",
		valid: func(text string) bool {
			_, err := netip.ParsePrefix(text)
			return err == nil
		},
	}
}

// Description implements [validator.String].
func (v textValidator) Description(context.Context) string { return "value " + v.must }

// MarkdownDescription implements [validator.String].
func (v textValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements [validator.String].
func (v textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if text := req.ConfigValue.ValueString(); !v.valid(text) {
		resp.Diagnostics.AddAttributeError(req.Path, v.summary, fmt.Sprintf("The value %q %s.", text, v.must))
	}
}
