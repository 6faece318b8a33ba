package provider

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// resourcePattern matches group/version/resource.
var resourcePattern = regexp.MustCompile(`^[a-z0-9.-]+/v[a-z0-9]+/[a-z0-9]+$`)

// templateAttribute returns the schema of `template` of either gateway. The arguments are the defaults of `name` and
// `resource`.
func templateAttribute(name, resource string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Template that Liqo creates the gateway from. Default: Liqo's for WireGuard. A change " +
			"replaces the gateway.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(name),
				MarkdownDescription: "Name. Default: `" + name + "`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"namespace": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Namespace. Default: that of Liqo.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"resource": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(resource),
				MarkdownDescription: "Kind of template, which depends on the gateway's technology, as group/version/plural. " +
					"Default: `" + resource + "`.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(resourcePattern, "must be group/version/resource, such as "+resource),
				},
			},
		},
	}
}
