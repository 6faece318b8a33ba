package shortcut

import (
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// theirs is a Configuration of the other cluster that somebody else wrote.
func theirs(remote string) *networkingv1beta1.Configuration {
	return forge.Configuration(remote, "liqo-tenant-"+remote, liqov1beta1.ClusterID(remote), []string{"10.0.0.0/16"}, "10.70.0.0/16")
}

func ours[T client.Object](object T) T { Owner{}.mark(object); return object }

func serverGateway(remote string, port int32) *networkingv1beta1.GatewayServer {
	return &networkingv1beta1.GatewayServer{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{
			"liqo.io/remote-cluster-id": remote,
		}},
		Spec: networkingv1beta1.GatewayServerSpec{
			MTU:      1340,
			Endpoint: networkingv1beta1.Endpoint{Port: port, ServiceType: corev1.ServiceTypeNodePort},
			ServerTemplateRef: corev1.ObjectReference{
				Name: "wireguard-server", Namespace: "liqo", Kind: "WgGatewayServerTemplate", APIVersion: "networking.liqo.io/v1beta1",
			},
		},
		Status: networkingv1beta1.GatewayServerStatus{Endpoint: &networkingv1beta1.EndpointStatus{
			Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: ptr.To(corev1.ProtocolUDP),
		}},
	}
}

// wireGuard makes it a gateway that Liqo has reacted to.
func wireGuard(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.UID = "gateway"
	gateway.Status.ServerRef = &corev1.ObjectReference{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayServerKind,
		Namespace: gateway.Namespace, Name: gateway.Name,
	}
	return gateway
}

// withoutAddress is the gateway while its status has no address, as Liqo writes it for a node that is not ready.
func withoutAddress(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.Status.Endpoint.Addresses = []string{""}
	return gateway
}

func clientGateway(address string) *networkingv1beta1.GatewayClient {
	const remote, port = "milan", 31000
	return &networkingv1beta1.GatewayClient{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{
			"liqo.io/remote-cluster-id": remote,
		}},
		Spec: networkingv1beta1.GatewayClientSpec{
			MTU: 1340,
			Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: []string{address}, Port: port, Protocol: ptr.To(corev1.ProtocolUDP),
			},
			ClientTemplateRef: corev1.ObjectReference{
				Name: "wireguard-client", Namespace: "liqo", Kind: "WgGatewayClientTemplate", APIVersion: "networking.liqo.io/v1beta1",
			},
		},
	}
}

// withKeys and withServerKeys make it a gateway that Liqo has made a Secret for.
func withKeys(gateway *networkingv1beta1.GatewayClient) *networkingv1beta1.GatewayClient {
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-" + gateway.Name}
	return gateway
}

func withServerKeys(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-" + gateway.Name}
	return gateway
}

// endAt is the end on a leaf of its network with another cluster.
func endAt(leaf *cluster.Leaf, remote string) *side {
	return &side{leaf: leaf, remote: Remote{Name: remote, ID: liqov1beta1.ClusterID(remote)}}
}

// milansEnd and romesEnd are the two ends of a network. Each leaf holds these objects.
func milansEnd(tb testing.TB, objects ...client.Object) *side {
	tb.Helper()
	return endAt(clustertest.Leaf(tb, "milan", objects...), "rome")
}

func romesEnd(tb testing.TB, objects ...client.Object) *side {
	tb.Helper()
	return endAt(clustertest.Leaf(tb, "rome", objects...), "milan")
}

// ranges are the address ranges of a leaf with that pod CIDR, as Liqo's IPAM has them.
func ranges(podCIDR string) []client.Object {
	return clustertest.Ranges(podCIDR, "10.70.0.0/16")
}

// leafWith is a leaf with address ranges that holds these objects.
func leafWith(t *testing.T, name string, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, name, append(ranges("10.0.0.0/16"), objects...)...)
}

var overNodePort = Spec{MTU: 1340, Server: GatewayServer{ServiceType: corev1.ServiceTypeNodePort, Port: 51840}}.withMTU()

var (
	me       = Owner{Token: "me", Origin: Origin{Folder: "mine"}}
	somebody = Owner{Token: "somebody", Origin: Origin{Who: "alice@ci", Folder: "theirs"}}
)

// aKey is the key of Milan's gateway, as somebody has told it to Rome.
func aKey(t *testing.T) *networkingv1beta1.PublicKey {
	t.Helper()
	key, err := forge.PublicKey("liqo-tenant-milan", nil, "milan", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// romesKey is the key of Rome's gateway as somebody else has told it to Milan.
func romesKey(t *testing.T) client.Object {
	t.Helper()
	key, err := forge.PublicKey("liqo-tenant-rome", nil, "rome", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	key.UID = "theirs"
	return key
}

// romesTenant is the tenant namespace for Rome, as a peering makes it.
func romesTenant() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-rome", Labels: map[string]string{
		"liqo.io/remote-cluster-id": "rome", "liqo.io/tenant-namespace": "true",
	}}}
}

// romesNamespace is Milan's tenant namespace for Rome, of that owner.
func romesNamespace(owner Owner) *corev1.Namespace {
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil)
	owner.mark(namespace)
	return namespace
}

func namespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// milansConnection is what Milan's gateway for Rome says of the tunnel.
func milansConnection(value networkingv1beta1.ConnectionStatusValue) *networkingv1beta1.Connection {
	return &networkingv1beta1.Connection{
		ObjectMeta: metav1.ObjectMeta{
			Name: "gw-rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
			OwnerReferences: []metav1.OwnerReference{{UID: "gateway"}},
		},
		Status: networkingv1beta1.ConnectionStatus{Value: value},
	}
}

// peer is a leaf's record of a peering with another cluster, which has this role.
func peer(remote string, role liqov1beta1.RoleType) *liqov1beta1.ForeignCluster {
	return &liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Labels: map[string]string{"liqo.io/remote-cluster-id": remote}},
		Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: liqov1beta1.ClusterID(remote)},
		Status:     liqov1beta1.ForeignClusterStatus{Role: role, Modules: liqov1beta1.Modules{Authentication: liqov1beta1.Module{Enabled: true}}},
	}
}

var (
	up     = networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected}
	failed = networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.ConnectionError}
)

// role is the part that a leaf plays in a shortcut.
type role int

const (
	asClient role = iota
	asServer
)

// end is all that one leaf holds of a network with another, whose gateway reports this status.
func end(role role, remote string, status networkingv1beta1.ConnectionStatus) []client.Object {
	meta := metav1.ObjectMeta{
		Name: remote, Namespace: "liqo-tenant-" + remote, UID: types.UID("gateway-for-" + remote), Labels: map[string]string{"liqo.io/remote-cluster-id": remote},
	}
	dialling := clientGateway("172.18.0.2")
	dialling.ObjectMeta = meta
	var gateway client.Object = dialling
	if role == asServer {
		server := serverGateway(remote, 51840)
		server.UID = meta.UID
		gateway = server
	}
	connection := &networkingv1beta1.Connection{ObjectMeta: *meta.DeepCopy(), Status: status}
	connection.UID, connection.OwnerReferences = "", []metav1.OwnerReference{{UID: meta.UID}}
	key := &networkingv1beta1.PublicKey{ObjectMeta: *meta.DeepCopy()}
	key.UID = ""
	return []client.Object{theirs(remote), gateway, key, connection}
}

// byProvider marks what this provider made.
func byProvider(objects []client.Object) []client.Object {
	for _, object := range objects {
		if _, seen := object.(*networkingv1beta1.Connection); !seen {
			Owner{}.mark(object)
		}
	}
	return objects
}
