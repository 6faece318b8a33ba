package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/iptypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// shortcutModel is a liqo_shortcut in configuration, plan and state.
type shortcutModel struct {
	ID                types.String   `tfsdk:"id"`
	Client            types.String   `tfsdk:"client"`
	Server            types.String   `tfsdk:"server"`
	MTU               types.Int32    `tfsdk:"mtu"`
	ServerGateway     types.Object   `tfsdk:"server_gateway"`
	ClientGateway     types.Object   `tfsdk:"client_gateway"`
	WaitForConnection types.Bool     `tfsdk:"wait_for_connection"`
	ShareKeys         types.Bool     `tfsdk:"share_keys"`
	CIDRRemapping     types.String   `tfsdk:"cidr_remapping"`
	AdoptExisting     types.Bool     `tfsdk:"adopt_existing"`
	OnDestroy         types.String   `tfsdk:"on_destroy"`
	ForceDestroy      types.Bool     `tfsdk:"force_destroy"`
	DestroyPeering    types.Bool     `tfsdk:"destroy_peering_network"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
	OwnerID           types.String   `tfsdk:"owner_id"`
	ClientClusterID   types.String   `tfsdk:"client_cluster_id"`
	ServerClusterID   types.String   `tfsdk:"server_cluster_id"`
	ClientNamespace   types.String   `tfsdk:"client_namespace"`
	ServerNamespace   types.String   `tfsdk:"server_namespace"`
	ClientNetwork     types.Object   `tfsdk:"client_network"`
	ServerNetwork     types.Object   `tfsdk:"server_network"`
	ServerEndpoint    types.Object   `tfsdk:"server_endpoint"`
	Status            types.String   `tfsdk:"status"`
}

// serverGatewayModel is its `server_gateway`.
type serverGatewayModel struct {
	ServiceType        types.String      `tfsdk:"service_type"`
	Port               types.Int32       `tfsdk:"port"`
	NodePort           types.Int32       `tfsdk:"node_port"`
	LoadBalancerIP     iptypes.IPAddress `tfsdk:"load_balancer_ip"`
	ServiceAnnotations types.Map         `tfsdk:"service_annotations"`
	ServiceLabels      types.Map         `tfsdk:"service_labels"`
	KeySecret          types.String      `tfsdk:"key_secret"`
	Template           types.Object      `tfsdk:"template"`
}

// clientGatewayModel is its `client_gateway`.
type clientGatewayModel struct {
	ConnectAddress types.String `tfsdk:"connect_address"`
	ConnectPort    types.Int32  `tfsdk:"connect_port"`
	KeySecret      types.String `tfsdk:"key_secret"`
	Template       types.Object `tfsdk:"template"`
}

// templateModel is the `template` of either gateway.
type templateModel struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	Resource  types.String `tfsdk:"resource"`
}

// networkModel is its `client_network` or `server_network`.
type networkModel struct {
	PodCIDRs             types.List         `tfsdk:"pod_cidrs"`
	ExternalCIDR         cidrtypes.IPPrefix `tfsdk:"external_cidr"`
	RemappedPodCIDRs     types.List         `tfsdk:"remapped_pod_cidrs"`
	RemappedExternalCIDR cidrtypes.IPPrefix `tfsdk:"remapped_external_cidr"`
}

var (
	templateTypes      = map[string]attr.Type{"name": types.StringType, "namespace": types.StringType, "resource": types.StringType}
	textsType          = types.MapType{ElemType: types.StringType}
	serverGatewayTypes = map[string]attr.Type{
		"service_type": types.StringType, "port": types.Int32Type, "node_port": types.Int32Type, "load_balancer_ip": iptypes.IPAddressType{},
		"service_annotations": textsType, "service_labels": textsType, "key_secret": types.StringType,
		"template": types.ObjectType{AttrTypes: templateTypes},
	}
	clientGatewayTypes = map[string]attr.Type{
		"connect_address": types.StringType, "connect_port": types.Int32Type, "key_secret": types.StringType,
		"template": types.ObjectType{AttrTypes: templateTypes},
	}
	cidrsType    = types.ListType{ElemType: cidrtypes.IPPrefixType{}}
	networkTypes = map[string]attr.Type{
		"pod_cidrs": cidrsType, "external_cidr": cidrtypes.IPPrefixType{},
		"remapped_pod_cidrs": cidrsType, "remapped_external_cidr": cidrtypes.IPPrefixType{},
	}
	endpointTypes = map[string]attr.Type{
		"addresses": types.ListType{ElemType: types.StringType}, "port": types.Int32Type, "protocol": types.StringType,
	}
)
