package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/iptypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

const (
	maxPort     = 65535
	minNodePort = 30000 // the API server's default --service-node-port-range
	maxNodePort = 32767
)

// serverGatewayAttribute returns the schema of `server_gateway` of a liqo_shortcut.
func serverGatewayAttribute(ctx context.Context) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		Default:             objectdefault.StaticValue(defaultServerGateway(ctx)),
		MarkdownDescription: "Settings of the server's gateway." + costsInGuide,
		Attributes:          serverGatewayAttributes(),
	}
}

// dialedAnew ends the description of a setting that the endpoint depends on.
const dialedAnew = " A change gives the client another endpoint to dial."

func serverGatewayAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"service_type": schema.StringAttribute{
			Optional: true, Computed: true,
			Default: stringdefault.StaticString(string(liqo.DefaultServiceType)),
			MarkdownDescription: "Type of the Service: `LoadBalancer`, `NodePort` or `ClusterIP`. Default: " +
				"`LoadBalancer`." + dialedAnew,
			Validators: []validator.String{stringvalidator.OneOf(
				string(corev1.ServiceTypeLoadBalancer), string(corev1.ServiceTypeNodePort), string(corev1.ServiceTypeClusterIP))},
		},
		"port": schema.Int32Attribute{
			Optional: true, Computed: true,
			Default: int32default.StaticInt32(liqo.DefaultPort),
			MarkdownDescription: "UDP port of the Service. Default: `51840`. A change restarts the gateway and, except " +
				"with `NodePort`, gives the client another port to dial.",
			Validators: []validator.Int32{int32validator.Between(1, maxPort)},
		},
		"node_port": schema.Int32Attribute{
			Optional: true,
			MarkdownDescription: "Port of the nodes, from 30000 to 32767, for `service_type = \"NodePort\"`. Default: " +
				"Kubernetes chooses one." + dialedAnew,
			Validators: []validator.Int32{int32validator.Between(minNodePort, maxNodePort)},
		},
		"load_balancer_ip": schema.StringAttribute{
			Optional:   true,
			CustomType: iptypes.IPAddressType{},
			MarkdownDescription: "Address to request, for `service_type = \"LoadBalancer\"`. Deprecated in Kubernetes: " +
				"some load balancers want an annotation instead. Default: the load balancer chooses one." + dialedAnew,
		},
		"service_annotations": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Annotations of the Service. They override the template's. A change restarts no gateway, " +
				"but a cloud may move the load balancer. Needs Liqo 1.2 or newer on the server.",
			Validators: []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(metadataKey())},
		},
		"service_labels": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Labels of the Service. They override the template's. A change restarts no gateway. " +
				"Needs Liqo 1.2 or newer on the server.",
			Validators: []validator.Map{
				mapvalidator.NoNullValues(), mapvalidator.KeysAre(metadataKey()),
				mapvalidator.ValueStringsAre(labelValue()),
			},
		},
		"key_secret_name": keySecretAttribute("server_namespace"),
		"template":        templateAttribute(liqo.DefaultServerTemplateName, liqo.DefaultServerTemplateResource),
		"pods":            podsAttribute(podsOfOne),
	}
}

// keySecretAttribute returns the schema of `key_secret_name` of either gateway. It is for users with their own
// WireGuard keys.
func keySecretAttribute(namespace string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Secret with the gateway's keys, `privateKey` and `publicKey`, 32 bytes each, in `" +
			namespace + "`. This must be a namespace of your own: a destroy does not remove the Secret. Default: Liqo " +
			"creates one. A change replaces the gateway.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

// defaultServerGateway returns the value that is planned if the configuration has no `server_gateway`.
func defaultServerGateway(ctx context.Context) types.Object {
	return objectWith(ctx, serverGatewayTypes, map[string]attr.Value{
		"service_type": types.StringValue(string(liqo.DefaultServiceType)),
		"port":         types.Int32Value(liqo.DefaultPort),
	})
}

type serverGatewayModel struct {
	ServiceType        types.String      `tfsdk:"service_type"`
	Port               types.Int32       `tfsdk:"port"`
	NodePort           types.Int32       `tfsdk:"node_port"`
	LoadBalancerIP     iptypes.IPAddress `tfsdk:"load_balancer_ip"`
	ServiceAnnotations types.Map         `tfsdk:"service_annotations"`
	ServiceLabels      types.Map         `tfsdk:"service_labels"`

	gatewayModel
}

var serverGatewayTypes = attributeTypes(serverGatewayAttributes())

// validate finds settings that do not go together, such as those of another type of Service, and reports them at their
// path. It accepts unknown values, because they may turn out to be null.
func (m serverGatewayModel) validate(ctx context.Context, attribute path.Path) diag.Diagnostics {
	diags := validatePods(ctx, m.Pods, attribute)
	if m.ServiceType.IsUnknown() {
		return diags
	}
	serviceType := corev1.ServiceType(m.ServiceType.ValueString())
	if serviceType == "" {
		serviceType = liqo.DefaultServiceType
	}
	if given(m.NodePort) && serviceType != corev1.ServiceTypeNodePort {
		diags.Append(invalid("node_port without NodePort",
			"`node_port` needs `service_type = \"NodePort\"`; it is \""+string(serviceType)+"\".").
			errorAt(attribute.AtName("node_port")))
	}
	if given(m.LoadBalancerIP) && serviceType != corev1.ServiceTypeLoadBalancer {
		diags.Append(invalid("load_balancer_ip without LoadBalancer",
			"`load_balancer_ip` needs `service_type = \"LoadBalancer\"`; it is \""+string(serviceType)+"\".").
			errorAt(attribute.AtName("load_balancer_ip")))
	}
	return diags
}

// gatewaySettings returns the settings of a gateway in its block, or in the model of its resource. A missing block has
// none.
func gatewaySettings(ctx context.Context, role liqo.GatewayRole, set types.Object) liqo.GatewaySettings {
	var settings liqo.GatewaySettings
	readInto(ctx, set, &settings)
	settings.Role = role
	return settings
}

// knownSettings is gatewaySettings, or nil if some of the settings are not known.
func knownSettings(ctx context.Context, role liqo.GatewayRole, set types.Object) *liqo.GatewaySettings {
	if !fullyKnown(ctx, set) {
		return nil
	}
	return new(gatewaySettings(ctx, role, set))
}

// keySecretOf returns the user's own Secret that the settings of a gateway name, in a namespace. The name is empty if
// they name none.
func keySecretOf(gateway types.Object, namespace types.String) liqo.KeySecret {
	name, ok := gateway.Attributes()["key_secret_name"].(types.String)
	if !ok || name.ValueString() == "" {
		return liqo.KeySecret{}
	}
	return liqo.KeySecret{Namespace: namespace.ValueString(), Name: name.ValueString()}
}

// observedServerGateway copies the settings of the gateway server from the leaf into the model, if the leaf has one.
func (m *shortcutModel) observedServerGateway(ctx context.Context, state shortcut.State) {
	if state.ServerGateway == nil {
		return
	}
	set := gatewaySettings(ctx, liqo.ServerRole, m.ServerGateway)
	observed := set.Observed(*state.ServerGateway, nil, state.Server.LiqoNamespace)
	m.ServerGateway = objectOf(ctx, serverGatewayTypes, &observed)
}
