package clustertest

import (
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This file creates a leaf's objects of its network with another cluster. They are in the tenant namespace for that
// cluster, without a mark of this provider.

// TenantNamespace is the tenant namespace for another cluster, as Liqo makes it.
func TenantNamespace(remote string) *corev1.Namespace {
	return tenantnamespace.NewManager(nil, nil).ForgeNamespace(liqov1beta1.ClusterID(remote), nil)
}

// Configuration returns a Configuration of another cluster that a user created on a leaf.
func Configuration(remote string) *networkingv1beta1.Configuration {
	return forge.Configuration(
		remote, "liqo-tenant-"+remote, liqov1beta1.ClusterID(remote), []string{"10.0.0.0/16"}, "10.70.0.0/16",
	)
}

// Remapped is a [Configuration] after Liqo has decided where the other cluster's ranges are reached, in CIDR notation.
func Remapped(remote, pods, external string) *networkingv1beta1.Configuration {
	configuration := Configuration(remote)
	configuration.Status = networkingv1beta1.ConfigurationStatus{
		Conditions: []metav1.Condition{
			{Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue},
		},
		Remote: &networkingv1beta1.ClusterConfig{CIDR: networkingv1beta1.ClusterConfigCIDR{
			Pod:      []networkingv1beta1.CIDR{networkingv1beta1.CIDR(pods)},
			External: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(external)},
		}},
	}
	return configuration
}

// GatewayServer is a gateway that another cluster can dial, at port 31000 of a node. The Service listens on that port.
func GatewayServer(remote string, port int32) *networkingv1beta1.GatewayServer {
	return &networkingv1beta1.GatewayServer{
		ObjectMeta: ofNetwork(remote, remote),
		Spec: networkingv1beta1.GatewayServerSpec{
			MTU:      1340,
			Endpoint: networkingv1beta1.Endpoint{Port: port, ServiceType: corev1.ServiceTypeNodePort},
			ServerTemplateRef: corev1.ObjectReference{
				Name: forge.DefaultGwServerTemplateName, Namespace: "liqo", Kind: networkingv1beta1.WgGatewayServerTemplateKind,
				APIVersion: networkingv1beta1.GroupVersion.String(),
			},
		},
		Status: networkingv1beta1.GatewayServerStatus{Endpoint: &networkingv1beta1.EndpointStatus{
			Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: new(corev1.ProtocolUDP),
		}},
	}
}

// GatewayClient is a gateway that dials the one of another cluster, where [GatewayServer] is.
func GatewayClient(remote string) *networkingv1beta1.GatewayClient {
	return &networkingv1beta1.GatewayClient{
		ObjectMeta: ofNetwork(remote, remote),
		Spec: networkingv1beta1.GatewayClientSpec{
			MTU: 1340,
			Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: new(corev1.ProtocolUDP),
			},
			ClientTemplateRef: corev1.ObjectReference{
				Name: forge.DefaultGwClientTemplateName, Namespace: "liqo", Kind: networkingv1beta1.WgGatewayClientTemplateKind,
				APIVersion: networkingv1beta1.GroupVersion.String(),
			},
		},
	}
}

// PublicKey returns the key of another cluster's gateway that a user created on this leaf.
func PublicKey(remote string) *networkingv1beta1.PublicKey {
	key := &networkingv1beta1.PublicKey{
		ObjectMeta: ofNetwork(remote, remote), Spec: networkingv1beta1.PublicKeySpec{PublicKey: make([]byte, 32)},
	}
	key.UID = "told"
	return key
}

// Connection is the report of the gateway with the UID "gateway" about the tunnel to another cluster.
func Connection(remote string, value networkingv1beta1.ConnectionStatusValue) *networkingv1beta1.Connection {
	connection := &networkingv1beta1.Connection{
		ObjectMeta: ofNetwork(remote, "gw-"+remote), Status: networkingv1beta1.ConnectionStatus{Value: value},
	}
	connection.OwnerReferences = []metav1.OwnerReference{{UID: "gateway"}}
	return connection
}

// ServerEnd returns all objects of a network in which another cluster dials the leaf: Configuration, gateway, PublicKey
// and Connection, in that order. The gateway reports this status.
func ServerEnd(remote string, status networkingv1beta1.ConnectionStatus) []client.Object {
	return whole(remote, GatewayServer(remote, 51840), status)
}

// ClientEnd returns the same for a network in which the leaf dials another cluster.
func ClientEnd(remote string, status networkingv1beta1.ConnectionStatus) []client.Object {
	return whole(remote, GatewayClient(remote), status)
}

func whole(remote string, gateway client.Object, status networkingv1beta1.ConnectionStatus) []client.Object {
	gateway.SetUID(types.UID("gateway-for-" + remote))
	connection := Connection(remote, "")
	connection.Status, connection.OwnerReferences[0].UID = status, gateway.GetUID()
	return []client.Object{Configuration(remote), gateway, PublicKey(remote), connection}
}

// Peering is a leaf's record of a peering with another cluster, which has this role.
func Peering(remote string, role liqov1beta1.RoleType) *liqov1beta1.ForeignCluster {
	return &liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Labels: map[string]string{consts.RemoteClusterID: remote}},
		Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: liqov1beta1.ClusterID(remote)},
		Status: liqov1beta1.ForeignClusterStatus{
			Role: role, Modules: liqov1beta1.Modules{Authentication: liqov1beta1.Module{Enabled: true}},
		},
	}
}

// ofNetwork names an object of the network with another cluster, and labels it as Liqo does.
func ofNetwork(remote, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{consts.RemoteClusterID: remote},
	}
}
