package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Schema implements [datasource.DataSource].
func (d *clusterDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "What one cluster knows of itself: its cluster ID, versions, address ranges and templates of gateways. A cluster that can't be " +
			"reached, or has no Liqo, is an error.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the cluster: a key of the provider's `clusters`, or a context of its kubeconfig.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"id":                 shownString("Liqo's cluster ID, by which every other cluster knows it."),
			"liqo_version":       shownString("Version of Liqo's controllers, as their image has it. Null, with a warning, where that can't be told."),
			"kubernetes_version": shownString("Version of the API server, such as `v1.35.4`."),
			"pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Address ranges of the pods, in CIDR notation.",
			},
			"external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Range from which Liqo gives addresses to what is neither a pod of this cluster nor of one that it is joined with.",
			},
			"internal_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Range from which Liqo gives addresses to its own gateways and nodes. Null where it has none.",
			},
			"gateway_templates": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Templates that Liqo can make gateways from, of all technologies in its API group `networking.liqo.io`, those of servers first. " +
					"`liqo_shortcut` takes one as the `template` of either gateway.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":      shownString("Name of the template."),
					"namespace": shownString("Namespace of the template."),
					"resource":  shownString("Resource of the template, as group, version and plural."),
					"role":      shownString("`server` or `client`: the gateway that it is for."),
				}},
			},
			"timeouts": readTimeout(ctx),
		},
	}
}
