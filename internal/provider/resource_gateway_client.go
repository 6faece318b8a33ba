package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// newGatewayClientResource returns the resource liqo_gateway_client: the gateway that dials the other one.
func newGatewayClientResource() resource.Resource {
	return &endResource[gatewayClientModel, *gatewayClientModel]{
		resource: owner.GatewayClientResource, schema: gatewayClientSchema,
	}
}

func gatewayClientSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A gateway on this cluster that dials the gateway of another cluster. An apply waits until " +
			"the gateway has keys. It does not wait for the tunnel, because the other end may not exist yet." + oneEndInGuide,
		Attributes: endAttributes(ctx, gatewayAttributes(map[string]schema.Attribute{
			"server_endpoint": dialledEndpointAttribute(),
			"template":        templateAttribute(liqo.DefaultClientTemplateName, liqo.DefaultClientTemplateResource),
			"pods":            podsAttribute(podsOfEnd + podsChange),
		})),
	}
}

// dialledEndpointAttribute returns the schema of `server_endpoint`. It has the same attributes as the endpoint of a
// server, so that a configuration can pass one on.
func dialledEndpointAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Required: true,
		MarkdownDescription: "Where to dial: the `endpoint` of the other end's `liqo_gateway_server`, or another address " +
			"that leads there. A change restarts the gateway.",
		Attributes: map[string]schema.Attribute{
			"addresses": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "IP addresses or DNS names. The gateway dials the first one.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(hostAddress()),
				},
			},
			"port": schema.Int32Attribute{
				Required: true, MarkdownDescription: "Port to dial.",
				Validators: []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"protocol": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("UDP"),
				MarkdownDescription: "`UDP` or `TCP`. Default: `UDP`.",
				Validators:          []validator.String{stringvalidator.OneOf("UDP", "TCP")},
			},
		},
	}
}

type gatewayClientModel struct {
	endGatewayModel

	ServerEndpoint types.Object `tfsdk:"server_endpoint"`
	KeySecretName  types.String `tfsdk:"key_secret_name"`
	Template       types.Object `tfsdk:"template"`
	Pods           types.Object `tfsdk:"pods"`
}

// dialled returns the endpoint to dial.
func (m *gatewayClientModel) dialled(ctx context.Context) (liqo.Endpoint, diag.Diagnostics) {
	var set struct {
		Addresses []string `tfsdk:"addresses"`
		Port      int32    `tfsdk:"port"`
		Protocol  string   `tfsdk:"protocol"`
	}
	diags := m.ServerEndpoint.As(ctx, &set, basetypes.ObjectAsOptions{})
	return liqo.Endpoint{Addresses: set.Addresses, Port: set.Port, Protocol: set.Protocol}, diags
}

func (m *gatewayClientModel) validate(ctx context.Context) diag.Diagnostics {
	return append(validatePods(ctx, m.Pods, path.Empty()), validateAllow(ctx, m.Allow)...)
}

func (m *gatewayClientModel) spec(ctx context.Context) (liqo.GatewayClient, diag.Diagnostics) {
	template, diags := templateSpec(ctx, m.Template)
	pods, podsDiags := podsSpec(ctx, m.Pods)
	diags.Append(podsDiags...)
	return liqo.GatewayClient{
		TunnelSettings: m.tunnelSettings(), KeySecret: m.KeySecretName.ValueString(), Template: template, Pods: pods,
	}, diags
}

func (m *gatewayClientModel) gateway(ctx context.Context) (*plannedGateway, diag.Diagnostics) {
	if !fullyKnown(ctx, m.KeySecretName, m.Template, m.Pods) {
		return nil, nil
	}
	spec, diags := m.spec(ctx)
	return &plannedGateway{spec, fullyKnown(ctx, m.MTU, m.KeyRotationTrigger)}, diags
}

func (m *gatewayClientModel) keySecret() liqo.KeySecret {
	return liqo.KeySecret{Namespace: m.Namespace.ValueString(), Name: m.KeySecretName.ValueString()}
}

// planComputed keeps the key while Liqo does not make another gateway.
func (m *gatewayClientModel) planComputed(state *gatewayClientModel) {
	if state == nil {
		m.promiseKey(nil, false)
		return
	}
	m.promiseKey(&state.endGatewayModel, !m.KeySecretName.Equal(state.KeySecretName) || !m.Template.Equal(state.Template))
}

func (m *gatewayClientModel) ensure(ctx context.Context, object shortcut.EndObject, namespace string) error {
	spec, diags := m.spec(ctx)
	server, endpointDiags := m.dialled(ctx)
	allow, allowDiags := allowSpec(ctx, m.Allow)
	if diags.Append(append(endpointDiags, allowDiags...)...); diags.HasError() {
		return asError(diags)
	}
	return object.EnsureGatewayClient(ctx, namespace, allow, server, spec)
}

func (m *gatewayClientModel) observed(ctx context.Context, observed shortcut.EndObjectState) diag.Diagnostics {
	set, diags := m.spec(ctx)
	client := set.Observed(*observed.Client, nil, observed.LiqoNamespace)
	m.ServerEndpoint = endpointObject(observed.Endpoint)
	m.KeySecretName, m.Template = stringOrNull(client.KeySecret), templateObject(client.Template)
	pods, podsDiags := podsObject(ctx, client.Pods)
	diags.Append(podsDiags...)
	m.Pods = pods
	m.observedGateway(observed, client.TunnelSettings)
	return diags
}

func (m *gatewayClientModel) keepPlanned(plan *gatewayClientModel) {
	keepKnown(&m.PublicKey, plan.PublicKey)
}
