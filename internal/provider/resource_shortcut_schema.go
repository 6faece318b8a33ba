package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/iptypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

const (
	minMTU = 576   // the largest datagram that every IPv4 host must accept: RFC 791
	maxMTU = 65535 // the largest IPv4 packet

	maxPort     = 65535
	minNodePort = 30000 // the API server's default --service-node-port-range
	maxNodePort = 32767
)

// Values of cidr_remapping and on_destroy.
const (
	remappingAllowed   = "allow"
	remappingForbidden = "forbid"
	destroyResets      = "reset"
	destroyDisconnects = "disconnect"
)

// resourcePattern is group/version/resource.
var resourcePattern = regexp.MustCompile(`^[a-z0-9.-]+/v[a-z0-9]+/[a-z0-9]+$`)

// interrupts ends the description of an attribute whose change replaces both gateways; what is nested in it need not repeat it.
const interrupts = " A change replaces both gateways and interrupts traffic for some seconds."

// interruptsClient ends the description of one whose change replaces the client's gateway alone.
const interruptsClient = " A change replaces the client's gateway and interrupts traffic for some seconds."

// Schema implements [resource.Resource].
func (r *shortcutResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: shortcutVersion,
		MarkdownDescription: "Joins two leaf clusters of a Liqo topology directly, so that traffic between them does not take the detour through " +
			"the central cluster. Does what `liqoctl network connect` does, and on destroy what `liqoctl network reset` does.",
		Attributes: map[string]schema.Attribute{
			"id": computedString("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that dials: a key of the provider's `clusters`, or a context of its kubeconfig. " +
					"Another cluster behind the name forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"server": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the leaf that exposes the gateway: a key of the provider's `clusters`, or a context of its kubeconfig. " +
					"Another cluster behind the name forces replacement; another name for the same cluster does not.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"mtu": schema.Int32Attribute{
				Optional: true, Computed: true,
				Default:             int32default.StaticInt32(end.DefaultMTU),
				MarkdownDescription: "MTU of the tunnel at both ends, in bytes, from 576 to 65535. Default: `1340`." + interrupts,
				Validators:          []validator.Int32{int32validator.Between(minMTU, maxMTU)},
			},
			"server_gateway": serverGatewayAttribute(),
			"client_gateway": clientGatewayAttribute(),
			"wait_for_connection": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether an apply waits until both ends report the tunnel as up. With `false` it ends once everything is in " +
					"place. A tunnel that is down is no change to plan in either case. Default: `true`.",
			},
			"share_keys": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether each leaf is told the public key of the other's gateway. With `false` somebody else must do that, and an apply " +
					"does not wait for the tunnel. Default: `true`.",
			},
			"cidr_remapping": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(remappingAllowed),
				MarkdownDescription: "`allow`: Liqo remaps what overlaps. `forbid`: an apply fails, before any gateway exists, if a leaf would reach a pod CIDR " +
					"of the other at another address. Default: `allow`.",
				Validators: []validator.String{stringvalidator.OneOf(remappingAllowed, remappingForbidden)},
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to take over a network that already joins the two leaves, made by liqoctl or by a peering, in either direction. What " +
					"is taken over is removed on destroy. Default: `false`.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Computed: true,
				Default: stringdefault.StaticString(destroyResets),
				MarkdownDescription: "`reset`: a destroy leaves nothing behind. `disconnect`: it removes the gateways and keeps the Configurations, so that a " +
					"later shortcut of the same leaves finds the same remapping. Default: `reset`.",
				Validators: []validator.String{stringvalidator.OneOf(destroyResets, destroyDisconnects)},
			},
			"force_destroy": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to destroy although one of the leaves is lost: it does not answer, the provider block does not list its cluster any more, or there " +
					"is no Liqo or another certificate where it was. The other one is cleaned then. It must be applied before the destroy, which needs no leaf if nothing else changes. " +
					"Default: `false`.",
			},
			"destroy_peering_network": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to destroy although a peering uses the network, which then has none. The peering's tenant namespaces stay. It must be " +
					"applied before the destroy, which needs no leaf if nothing else changes. Default: `false`.",
			},
			"timeouts": timeoutsAttribute(ctx),

			"owner_id":          computedString("Random ID of this resource instance. It marks on the leaves what belongs to the instance; nothing else is changed or removed."),
			"client_cluster_id": computedString("Liqo's cluster ID of the client."),
			"server_cluster_id": computedString("Liqo's cluster ID of the server."),
			"client_namespace":  namespaceAttribute("client", "server", interruptsClient),
			"server_namespace":  namespaceAttribute("server", "client", interrupts),
			"client_network":    networkAttribute("client", "server"),
			"server_network":    networkAttribute("server", "client"),
			"server_endpoint":   serverEndpointAttribute(),
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`Connected`: both ends report the tunnel as up. `Connecting`: everything is in place and the tunnel is not up. " +
					"`Error`: an end reports that the tunnel failed. `Disconnected`: something is missing; the next apply repairs it in place.",
			},
		},
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	const (
		unit  = " A number and a unit, such as `90s`, `10m` or `1h`. Default: "
		again = " When it is over, the error says what was waited for, and the next apply goes on from there."
	)
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long it may take until the tunnel is up." + unit + "`10m`." + again,
		Read: true, ReadDescription: "How long a refresh may take." + unit + "`2m`.",
		Update: true, UpdateDescription: "How long a change or a repair may take, until the tunnel is up again." + unit + "`10m`." + again,
		Delete: true, DeleteDescription: "How long it may take until everything is gone. It must be applied before the destroy." + unit + "`10m`.",
	})
}

func serverGatewayAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		Default:             objectdefault.StaticValue(defaultServerGateway()),
		MarkdownDescription: "How the server exposes its gateway." + interrupts,
		Attributes: map[string]schema.Attribute{
			"service_type": schema.StringAttribute{
				Optional: true, Computed: true,
				Default:             stringdefault.StaticString(string(end.DefaultServiceType)),
				MarkdownDescription: "Type of the gateway's Service: `LoadBalancer`, `NodePort` or `ClusterIP`. Default: `LoadBalancer`.",
				Validators: []validator.String{stringvalidator.OneOf(
					string(corev1.ServiceTypeLoadBalancer), string(corev1.ServiceTypeNodePort), string(corev1.ServiceTypeClusterIP))},
			},
			"port": schema.Int32Attribute{
				Optional: true, Computed: true,
				Default:             int32default.StaticInt32(end.DefaultPort),
				MarkdownDescription: "UDP port of the gateway's Service. Default: `51840`.",
				Validators:          []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"node_port": schema.Int32Attribute{
				Optional: true,
				MarkdownDescription: "Port on the server's nodes, from 30000 to 32767, for `service_type = \"NodePort\"`. " +
					"Default: one that Kubernetes chooses.",
				Validators: []validator.Int32{int32validator.Between(minNodePort, maxNodePort)},
			},
			"load_balancer_ip": schema.StringAttribute{
				Optional:            true,
				CustomType:          iptypes.IPAddressType{},
				MarkdownDescription: "Address to ask of the load balancer, for `service_type = \"LoadBalancer\"`. Default: one that it chooses.",
			},
			"service_annotations": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Annotations to add to the gateway's Service, for instance for a cloud's load balancer. They win over the template's.",
				Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(metadataKey())},
			},
			"service_labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Labels to add to the gateway's Service. They win over the template's.",
				Validators: []validator.Map{
					mapvalidator.NoNullValues(), mapvalidator.KeysAre(metadataKey()), mapvalidator.ValueStringsAre(labelValue()),
				},
			},
			"key_secret": keySecretAttribute("server"),
			"template":   templateAttribute(end.DefaultServerTemplateName, end.DefaultServerTemplateResource),
		},
	}
}

func clientGatewayAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How the client's gateway dials, if not as the server's gateway says." + interruptsClient,
		Attributes: map[string]schema.Attribute{
			"connect_address": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "IP address or DNS name to dial. Default: the first of the server's own.",
				Validators:          []validator.String{hostAddress()},
			},
			"connect_port": schema.Int32Attribute{
				Optional:            true,
				MarkdownDescription: "UDP port to dial. Default: the server's own.",
				Validators:          []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"key_secret": keySecretAttribute("client"),
			"template":   templateAttribute(end.DefaultClientTemplateName, end.DefaultClientTemplateResource),
		},
	}
}

// keySecretAttribute is for people who bring their own WireGuard keys.
func keySecretAttribute(leaf string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Name of a Secret with the gateway's keys (`privateKey` and `publicKey`, of 32 bytes each), in `" + leaf + "_namespace`. That must be a " +
			"namespace that outlives the shortcut, such as one of your own: a destroy leaves the Secret alone. Default: one that Liqo makes.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

func templateAttribute(name, resource string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Template that Liqo makes the gateway from. Default: Liqo's own for WireGuard.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(name),
				MarkdownDescription: "Name of the template. Default: `" + name + "`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"namespace": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Namespace of the template. Default: the one in which Liqo runs.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"resource": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(resource),
				MarkdownDescription: "Resource of the template, as group, version and plural; another gateway technology has another. Default: `" + resource + "`.",
				Validators:          []validator.String{stringvalidator.RegexMatches(resourcePattern, "must be group/version/resource, such as "+resource)},
			},
		},
	}
}

func namespaceAttribute(leaf, other, interruption string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Namespace in which the " + leaf + " keeps the objects of this shortcut. One that is given must exist, and no other shortcut can share it. Default: the " + leaf +
			"'s tenant namespace for the " + other + ", which is made and removed as needed." + interruption,
		Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func networkAttribute(leaf, other string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Address ranges of the " + leaf + ", in CIDR notation, and where the " + other + " reaches them. A change interrupts " +
			"traffic to those that change only.",
		PlanModifiers: []planmodifier.Object{objectplanmodifier.UseStateForUnknown()},
		Attributes: map[string]schema.Attribute{
			"pod_cidrs": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Of its pods, as the " + other + " is told. Default: as the " + leaf + " has them. A change is made in place, and " +
					"the " + other + " reaches the pods at other addresses then.",
				Validators:    []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(cidr(), wholeRange())},
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"external_cidr": schema.StringAttribute{
				Optional: true, Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Liqo's external CIDR of the " + leaf + ", for addresses outside its pod CIDRs, as the " + other + " is told. Default: as the " + leaf +
					" has it.",
				Validators:    []validator.String{wholeRange()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"remapped_pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `pod_cidrs`, index by index; the same ranges where Liqo has remapped nothing.",
				PlanModifiers:       []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"remapped_external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `external_cidr`.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

func serverEndpointAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Where the server's gateway can be reached, as it says itself. `connect_address` and `connect_port` do not change it.",
		Attributes: map[string]schema.Attribute{
			"addresses": schema.ListAttribute{
				Computed: true, ElementType: types.StringType, MarkdownDescription: "IP addresses or DNS names; the client dials the first.",
			},
			"port":     schema.Int32Attribute{Computed: true, MarkdownDescription: "Port: the Service's, or the one of the nodes for `NodePort`."},
			"protocol": schema.StringAttribute{Computed: true, MarkdownDescription: "`UDP` or `TCP`."},
		},
	}
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}
