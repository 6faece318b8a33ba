package provider

import (
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// serverEndpointAttribute returns the schema of `server_endpoint` of a liqo_shortcut.
func serverEndpointAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Address and port of the server's gateway, as it reports them.",
		Attributes:          endpointAttributes(),
	}
}

func endpointAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"addresses": schema.ListAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "IP addresses or DNS names. The client dials the first one.",
		},
		"port": schema.Int32Attribute{
			Computed:            true,
			MarkdownDescription: "Port of the Service or, with `NodePort`, of the nodes.",
		},
		"protocol": schema.StringAttribute{Computed: true, MarkdownDescription: "`UDP` or `TCP`."},
	}
}

// shownEndpoint returns the schema of `server_endpoint` of a data source.
func shownEndpoint(description string) datasourceschema.Attribute {
	return datasourceschema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: description,
		Attributes: map[string]datasourceschema.Attribute{
			"addresses": datasourceschema.ListAttribute{
				Computed: true, ElementType: types.StringType, MarkdownDescription: "IP addresses or DNS names.",
			},
			"port":     datasourceschema.Int32Attribute{Computed: true, MarkdownDescription: "Port."},
			"protocol": shownString("`UDP` or `TCP`."),
		},
	}
}

var endpointTypes = attributeTypes(serverEndpointAttribute().Attributes)
