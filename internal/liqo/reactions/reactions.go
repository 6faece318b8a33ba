// Package reactions is what Liqo's controllers and gateways make of the objects of a network, and report about them,
// when everything works and nothing is remapped. Its functions know objects in memory only. Whoever stands in for Liqo
// writes what they return: the fake leaves of package liqotest, and the fleets of the benchmark.
package reactions

import (
	"cmp"
	"crypto/ecdh"
	"crypto/rand"
	"time"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	cidrutils "github.com/liqotech/liqo/pkg/utils/cidr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Address is the address of a server's gateway unless its Service requests another one.
const Address = "192.0.2.1"

// Networks returns the ranges of the other cluster as Liqo requests them from its IPAM, with the answers that the
// status of the Configuration shows. It has one of type Network for each range.
func Networks(configuration *networkingv1beta1.Configuration) []client.Object {
	var networks []client.Object
	announced, remapped := configuration.Spec.Remote.CIDR, configuration.Status.Remote.CIDR
	kind := networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.ConfigurationKind)
	for _, ranges := range []struct {
		kind                string
		announced, remapped []networkingv1beta1.CIDR
	}{{"pod", announced.Pod, remapped.Pod}, {"external", announced.External, remapped.External}} {
		for i, cidr := range ranges.announced {
			networks = append(networks, &ipamv1alpha1.Network{
				ObjectMeta: metav1.ObjectMeta{
					Namespace:       configuration.Namespace,
					Name:            configuration.Name + "-" + ranges.kind + "-" + cidrutils.EscapeForName(cidr),
					Labels:          map[string]string{consts.RemoteClusterID: configuration.Labels[consts.RemoteClusterID]},
					OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(configuration, kind)},
				},
				Spec: ipamv1alpha1.NetworkSpec{CIDR: cidr}, Status: ipamv1alpha1.NetworkStatus{CIDR: ranges.remapped[i]},
			})
		}
	}
	return networks
}

// Remap reports that nothing is remapped.
func Remap(configuration *networkingv1beta1.Configuration) {
	configuration.Status.Remote = configuration.Spec.Remote.DeepCopy()
	meta.SetStatusCondition(&configuration.Status.Conditions, metav1.Condition{
		Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue,
		Reason: "NetworkCIDRsConfigured", ObservedGeneration: configuration.Generation,
	})
}

// Serve gives a gateway keys, and its Service an address. A Service that has a node port has this one, unless it
// requests another one.
func Serve(gateway *networkingv1beta1.GatewayServer, nodePort int32) {
	asked := gateway.Spec.Endpoint
	port := asked.Port
	if asked.ServiceType == corev1.ServiceTypeNodePort {
		port = ptr.Deref(asked.NodePort, nodePort)
	}
	gateway.Status.Endpoint = &networkingv1beta1.EndpointStatus{
		Addresses: []string{ptr.Deref(asked.LoadBalancerIP, Address)}, Port: port, Protocol: new(corev1.ProtocolUDP),
	}
	gateway.Status.SecretRef = keysOf(gateway, gateway.Spec.SecretRef)
	gateway.Status.InternalEndpoint = internalEndpoint()
}

// Dial gives a gateway keys.
func Dial(gateway *networkingv1beta1.GatewayClient) {
	gateway.Status.SecretRef = keysOf(gateway, gateway.Spec.SecretRef)
	gateway.Status.InternalEndpoint = internalEndpoint()
}

// keysOf returns a reference to the Secret that the user has brought, or else to the gateway's own.
func keysOf(gateway client.Object, brought corev1.LocalObjectReference) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		Namespace: gateway.GetNamespace(), Name: cmp.Or(brought.Name, gatewayforge.GatewayResourceName(gateway.GetName())),
	}
}

func internalEndpoint() *networkingv1beta1.InternalGatewayEndpoint {
	return &networkingv1beta1.InternalGatewayEndpoint{IP: new(networkingv1beta1.IP("10.80.0.1")), Node: new("node")}
}

// PartOf returns the metadata of everything that Liqo makes for a gateway.
func PartOf(gateway metav1.Object, owner metav1.OwnerReference) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(owner.Name),
		Labels:          map[string]string{consts.RemoteClusterID: gateway.GetLabels()[consts.RemoteClusterID]},
		OwnerReferences: []metav1.OwnerReference{owner},
	}
}

// Keys returns a Secret with new keys for a gateway.
func Keys(metadata metav1.ObjectMeta) (*corev1.Secret, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return &corev1.Secret{ObjectMeta: metadata, Data: map[string][]byte{
		consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
	}}, nil
}

// Connections returns a Connection for each gateway that gets the other one's key. Its tunnel is down.
func Connections(key *networkingv1beta1.PublicKey) []*networkingv1beta1.Connection {
	var connections []*networkingv1beta1.Connection
	for _, gateway := range key.OwnerReferences {
		connections = append(connections, &networkingv1beta1.Connection{ObjectMeta: PartOf(key, gateway)})
	}
	return connections
}

// Report reports that a tunnel is up at this time.
func Report(connection *networkingv1beta1.Connection, now time.Time) {
	connection.Status.Value = networkingv1beta1.Connected
	connection.Status.Latency = networkingv1beta1.ConnectionLatency{Value: "1ms", Timestamp: metav1.NewTime(now)}
}
