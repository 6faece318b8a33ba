package fleet

import (
	"net/netip"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	ipamcore "github.com/liqotech/liqo/pkg/ipam/core"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// liqoManager is the field manager of what Liqo writes.
const liqoManager = "liqo-controller-manager"

var (
	networkKind       = ipamv1alpha1.SchemeGroupVersion.WithKind("Network")
	configurationKind = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.ConfigurationKind)
	serverKind        = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayServerKind)
	clientKind        = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.GatewayClientKind)
	connectionKind    = networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.ConnectionKind)
	firewallKind      = networkingv1beta1.GroupVersion.WithKind("FirewallConfiguration")
)

// byKind has what Liqo does about an object that is new or has changed, by its kind. They show what Liqo reports
// when everything works. They create none of what only a node or a pod reads.
var byKind = map[string]func(*controller, object) error{
	"Network":       (*controller).allocate,
	"Configuration": (*controller).remap,
	"GatewayServer": (*controller).serve,
	"GatewayClient": (*controller).dial,
	"PublicKey":     (*controller).connect,

	"FirewallConfiguration": func(c *controller, one object) error {
		return report(c, firewallKind, key(one), reactions.Enforce)
	},

	"ConfigMap": (*controller).refill,
}

// allocate gives a Network its range.
func (c *controller) allocate(one object) error {
	return report(c, networkKind, key(one), func(network *ipamv1alpha1.Network) {
		network.Status.CIDR = c.ranges.give(network)
	})
}

// remap creates a Network for each range of the remote cluster, and reports which ranges they get here.
func (c *controller) remap(one object) error {
	configuration, err := as[networkingv1beta1.Configuration](one.contents)
	if err != nil {
		return err
	}
	if err := c.ensureForeignCluster(configuration.Labels[consts.RemoteClusterID]); err != nil {
		return err
	}
	reactions.Remap(configuration)
	if err := c.deleteFormerNetworks(configuration); err != nil {
		return err
	}
	remote := configuration.Status.Remote
	for i, network := range reactions.Networks(configuration) {
		given := c.ranges.give(network.(*ipamv1alpha1.Network)) //nolint:errcheck,forcetypeassert // documented
		if pods := len(remote.CIDR.Pod); i < pods {
			remote.CIDR.Pod[i] = given
		} else {
			remote.CIDR.External[i-pods] = given
		}
	}
	for _, network := range reactions.Networks(configuration) {
		if err := c.ensure(network); err != nil {
			return err
		}
	}
	return report(c, configurationKind, key(one), func(configuration *networkingv1beta1.Configuration) {
		reactions.Remap(configuration)
		configuration.Status.Remote = remote
	})
}

// deleteFormerNetworks deletes the Networks of ranges that the remote cluster has no more, and frees them.
func (c *controller) deleteFormerNetworks(configuration *networkingv1beta1.Configuration) error {
	wanted := map[types.NamespacedName]bool{}
	for _, network := range reactions.Networks(configuration) {
		wanted[key(network)] = true
	}
	r, err := c.resources.resourceOf(networkKind)
	if err != nil {
		return err
	}
	former, _ := c.store.list(r, func(network object) bool {
		return metav1.IsControlledBy(network, configuration) && !wanted[key(network)]
	})
	for _, network := range former {
		c.ranges.takeBack(key(network))
		if err := c.delete(r, network); err != nil {
			return err
		}
	}
	return nil
}

func (c *controller) ensureForeignCluster(id string) error {
	return c.ensure(&liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: id, Labels: map[string]string{consts.RemoteClusterID: id}},
		Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: liqov1beta1.ClusterID(id)},
	})
}

// serve gives a gateway keys, and its Service an address.
func (c *controller) serve(one object) error {
	gateway, err := as[networkingv1beta1.GatewayServer](one.contents)
	if err != nil {
		return err
	}
	part := reactions.PartOf(gateway, *metav1.NewControllerRef(gateway, serverKind))
	if err := c.ensureGateway(part, &corev1.Service{ObjectMeta: part}); err != nil {
		return err
	}
	waits := gateway.Spec.Endpoint.ServiceType == corev1.ServiceTypeLoadBalancer && c.isPoolEmpty()
	return report(c, serverKind, key(one), func(gateway *networkingv1beta1.GatewayServer) {
		const firstNodePort = 30000
		former := gateway.Status.Endpoint
		nodePort := firstNodePort + c.nodePorts
		if former != nil {
			nodePort = former.Port
		} else {
			c.nodePorts++
		}
		reactions.Serve(gateway, nodePort)
		if waits {
			gateway.Status.Endpoint = former
		}
	})
}

// pool names the ConfigMap of a leaf's load balancer. If it says `addresses: none`, no further Service gets an address.
var pool = types.NamespacedName{Namespace: metav1.NamespaceSystem, Name: "load-balancer"}

func (c *controller) isPoolEmpty() bool {
	found, err := c.store.get(c.resources.ofKind(v1.WithKind("ConfigMap")), pool)
	if err != nil {
		return false // there is none
	}
	addresses, _, _ := unstructured.NestedString(found.Object, "data", "addresses")
	return addresses == "none"
}

// refill serves the gateways again when the pool has changed.
func (c *controller) refill(one object) error {
	if key(one) != pool {
		return nil
	}
	return c.each(serverKind, c.serve)
}

// dial gives a gateway keys.
func (c *controller) dial(one object) error {
	gateway, err := as[networkingv1beta1.GatewayClient](one.contents)
	if err != nil {
		return err
	}
	if err := c.ensureGateway(reactions.PartOf(gateway, *metav1.NewControllerRef(gateway, clientKind))); err != nil {
		return err
	}
	return report(c, clientKind, key(one), reactions.Dial)
}

// ensureGateway creates a gateway's Deployment, its keys, and more.
func (c *controller) ensureGateway(part metav1.ObjectMeta, more ...client.Object) error {
	keys, err := reactions.Keys(part)
	if err != nil {
		return err
	}
	for _, one := range append(more, &appsv1.Deployment{ObjectMeta: part}, keys) {
		if err := c.ensure(one); err != nil {
			return err
		}
	}
	return nil
}

// connect lets the gateway that gets the other one's key report its tunnel.
func (c *controller) connect(one object) error {
	trusted, err := as[networkingv1beta1.PublicKey](one.contents)
	if err != nil {
		return err
	}
	for _, connection := range reactions.Connections(trusted) {
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
		reactions.Report(connection, time.Now())
	})
}

// reportTunnels reports all tunnels again.
func (c *controller) reportTunnels() error {
	return c.each(connectionKind, func(connection object) error { return c.reportTunnel(key(connection)) })
}

// ranges are those that a leaf has given away. Liqo's own IPAM says which ones are left.
type ranges struct {
	ipam  *ipamcore.Ipam
	given map[types.NamespacedName]netip.Prefix // to which Network
}

func newRanges() (*ranges, error) {
	var pools []netip.Prefix
	for _, pool := range consts.PrivateAddressSpace {
		pools = append(pools, netip.MustParsePrefix(pool))
	}
	ipam, err := ipamcore.NewIpam(pools)
	return &ranges{ipam, map[types.NamespacedName]netip.Prefix{}}, err
}

// give returns the range of a Network: the one that it asks for, or another one of the same size if that is not free.
func (r *ranges) give(network *ipamv1alpha1.Network) networkingv1beta1.CIDR {
	name := key(network)
	if given, ok := r.given[name]; ok {
		return networkingv1beta1.CIDR(given.String())
	}
	asked, err := netip.ParsePrefix(string(network.Spec.CIDR))
	if err != nil {
		return "" // it gets none
	}
	var given *netip.Prefix
	if ipamutils.NetworkNotRemapped(network) {
		r.ipam.NetworkAcquireWithPrefix(asked, ipamutils.NetworkIsExclusive(network))
		given = &asked // outside the pools, too
	} else if given = r.ipam.NetworkAcquireWithPrefix(asked, true); given == nil {
		given = r.ipam.NetworkAcquire(asked.Bits(), true)
	}
	if given == nil {
		return ""
	}
	r.given[name] = *given
	return networkingv1beta1.CIDR(given.String())
}

// takeBack frees the range of a Network that is gone.
func (r *ranges) takeBack(network types.NamespacedName) {
	if given, ok := r.given[network]; ok {
		r.ipam.NetworkRelease(given, 0)
		delete(r.given, network)
	}
}
