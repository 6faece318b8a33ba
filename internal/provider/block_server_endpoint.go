package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// serverEndpointAttribute returns the schema of `server_endpoint` of a liqo_shortcut.
func serverEndpointAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "Address and port of the server's gateway, as the gateway reports them. " +
			"`server_address` and `server_port` do not change them.",
		Attributes: endpointAttributes(),
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
			MarkdownDescription: "Port of the Service; for `NodePort`, the port on the nodes.",
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

// endpointObject returns null for nil.
func endpointObject(endpoint *liqo.Endpoint) types.Object {
	if endpoint == nil {
		return types.ObjectNull(endpointTypes)
	}
	addresses := make([]attr.Value, len(endpoint.Addresses))
	for i, address := range endpoint.Addresses {
		addresses[i] = types.StringValue(address)
	}
	return types.ObjectValueMust(endpointTypes, map[string]attr.Value{
		"addresses": types.ListValueMust(types.StringType, addresses),
		"port":      types.Int32Value(endpoint.Port),
		"protocol":  types.StringValue(endpoint.Protocol),
	})
}
