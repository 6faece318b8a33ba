package fleet

import (
	"crypto/ecdh"
	"crypto/rand"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	configurations "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/configuration"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// liqoManager is the field manager of what Liqo writes.
const liqoManager = "liqo-controller-manager"

// kinds are those that the stand-in for Liqo reads and writes.
var kinds = func() *runtime.Scheme {
	kinds := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(kinds))
	for _, add := range []func(*runtime.Scheme) error{
		liqov1beta1.AddToScheme, ipamv1alpha1.AddToScheme, networkingv1beta1.AddToScheme,
	} {
		utilruntime.Must(add(kinds)) // fails only for types that contradict each other
	}
	return kinds
}()

var (
	networkKind       = ipamv1alpha1.SchemeGroupVersion.WithKind("Network")
	configurationKind = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.ConfigurationKind)
	serverKind        = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayServerKind)
	clientKind        = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayClientKind)
	connectionKind    = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.ConnectionKind)
)

// reactions are what Liqo does about an object that is new or has changed, by its kind. They show what Liqo reports
// when everything works. They create none of what only a node or a pod reads.
var reactions = map[string]func(*controller, object) error{
	"Network":       (*controller).allocate,
	"Configuration": (*controller).remap,
	"GatewayServer": (*controller).serve,
	"GatewayClient": (*controller).dial,
	"PublicKey":     (*controller).connect,
}

// allocate gives a Network the range that it asks for. The ranges of a fleet do not overlap.
func (c *controller) allocate(one object) error {
	return report(c, networkKind, key(one), func(network *ipamv1alpha1.Network) {
		network.Status.CIDR = network.Spec.CIDR
	})
}

// remap creates a Network for each range of the remote cluster, and reports that none of them is another one here.
func (c *controller) remap(one object) error {
	configuration, err := as[networkingv1beta1.Configuration](one.contents)
	if err != nil {
		return err
	}
	if err := c.ensureForeignCluster(configuration.Labels[consts.RemoteClusterID]); err != nil {
		return err
	}
	remote := configuration.Spec.Remote.CIDR
	for kind, cidrs := range map[configurations.LabelCIDRTypeValue][]networkingv1beta1.CIDR{
		configurations.LabelCIDRTypePod: remote.Pod, configurations.LabelCIDRTypeExternal: remote.External,
	} {
		for _, cidr := range cidrs {
			if err := c.ensureNetwork(configuration, kind, cidr); err != nil {
				return err
			}
		}
	}
	return report(c, configurationKind, key(one), func(configuration *networkingv1beta1.Configuration) {
		configuration.Status.Remote = configuration.Spec.Remote.DeepCopy()
		meta.SetStatusCondition(&configuration.Status.Conditions, metav1.Condition{
			Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue,
			Reason: "NetworkCIDRsConfigured", ObservedGeneration: one.GetGeneration(),
		})
	})
}

func (c *controller) ensureForeignCluster(id string) error {
	return c.ensure(&liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: id, Labels: map[string]string{consts.RemoteClusterID: id}},
		Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: liqov1beta1.ClusterID(id)},
	})
}

func (c *controller) ensureNetwork(
	configuration *networkingv1beta1.Configuration, kind configurations.LabelCIDRTypeValue, cidr networkingv1beta1.CIDR,
) error {
	labels, err := configurations.ForgeNetworkLabel(configuration, kind)
	if err != nil {
		return err
	}
	return c.ensure(&ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: configuration.Namespace, Name: configurations.ForgeNetworkName(configuration, kind, cidr), Labels: labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(configuration, configurationKind)},
		},
		Spec: ipamv1alpha1.NetworkSpec{CIDR: cidr},
	})
}

// serve gives a gateway keys, and its Service an address.
func (c *controller) serve(one object) error {
	gateway, err := as[networkingv1beta1.GatewayServer](one.contents)
	if err != nil {
		return err
	}
	part := gatewayPart(gateway, *metav1.NewControllerRef(gateway, serverKind))
	if err := c.ensureGateway(part, &corev1.Service{ObjectMeta: part}); err != nil {
		return err
	}
	return report(c, serverKind, key(one), func(gateway *networkingv1beta1.GatewayServer) {
		gateway.Status.SecretRef = keysOf(gateway)
		gateway.Status.InternalEndpoint = internalEndpoint()
		if gateway.Status.Endpoint != nil {
			return
		}
		const firstNodePort = 30000
		gateway.Status.Endpoint = &networkingv1beta1.EndpointStatus{
			Addresses: []string{"192.0.2.1"}, Protocol: new(corev1.ProtocolUDP),
			Port: ptr.Deref(gateway.Spec.Endpoint.NodePort, firstNodePort+c.nodePorts),
		}
		c.nodePorts++
	})
}

// dial gives a gateway keys.
func (c *controller) dial(one object) error {
	gateway, err := as[networkingv1beta1.GatewayClient](one.contents)
	if err != nil {
		return err
	}
	if err := c.ensureGateway(gatewayPart(gateway, *metav1.NewControllerRef(gateway, clientKind))); err != nil {
		return err
	}
	return report(c, clientKind, key(one), func(gateway *networkingv1beta1.GatewayClient) {
		gateway.Status.SecretRef = keysOf(gateway)
		gateway.Status.InternalEndpoint = internalEndpoint()
	})
}

// gatewayPart returns the metadata of everything that belongs to a gateway.
func gatewayPart(gateway client.Object, owner metav1.OwnerReference) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName()),
		Labels:          map[string]string{consts.RemoteClusterID: gateway.GetLabels()[consts.RemoteClusterID]},
		OwnerReferences: []metav1.OwnerReference{owner},
	}
}

func keysOf(gateway client.Object) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName()),
	}
}

func internalEndpoint() *networkingv1beta1.InternalGatewayEndpoint {
	return &networkingv1beta1.InternalGatewayEndpoint{
		IP: new(networkingv1beta1.IP("10.80.0.1")), Node: new("node"),
	}
}

// ensureGateway creates a gateway's Deployment, its keys, and more.
func (c *controller) ensureGateway(part metav1.ObjectMeta, more ...client.Object) error {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	for _, one := range append(more, &appsv1.Deployment{ObjectMeta: part}, &corev1.Secret{
		ObjectMeta: part, Data: map[string][]byte{
			consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
		},
	}) {
		if err := c.ensure(one); err != nil {
			return err
		}
	}
	return nil
}

// connect lets the gateway that gets the other one's key report its tunnel.
func (c *controller) connect(one object) error {
	for _, gateway := range one.GetOwnerReferences() {
		connection := &networkingv1beta1.Connection{ObjectMeta: gatewayPart(one, gateway)}
		connection.Name = gatewayforge.GatewayResourceName(gateway.Name)
		if err := c.ensure(connection); err != nil {
			return err
		}
		if err := c.reportTunnel(key(connection)); err != nil {
			return err
		}
	}
	return nil
}

func (c *controller) reportTunnel(connection types.NamespacedName) error {
	return report(c, connectionKind, connection, func(connection *networkingv1beta1.Connection) {
		connection.Status.Value = networkingv1beta1.Connected
		connection.Status.Latency = networkingv1beta1.ConnectionLatency{Value: "1ms", Timestamp: metav1.NewTime(time.Now())}
	})
}

// reportTunnels reports all tunnels again.
func (c *controller) reportTunnels() error {
	connections, err := all[networkingv1beta1.Connection](c, connectionKind)
	if err != nil {
		return err
	}
	for _, connection := range connections {
		if err := c.reportTunnel(key(connection)); err != nil {
			return err
		}
	}
	return nil
}
