package conformance

import (
	"net/netip"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ofLiqo are the checks of Liqo's reactions.
var ofLiqo = map[string]func(*check){
	"Liqo allocates the ranges of a Configuration, and releases them": func(c *check) {
		one := c.configuration("10.250.0.0/16")
		remapped := one.Status.Remote
		if remapped == nil || len(remapped.CIDR.Pod) != 1 || remapped.CIDR.Pod[0] != "10.250.0.0/16" {
			c.Errorf("it is remapped to %+v", remapped)
		}
		var networks ipamv1alpha1.NetworkList
		c.must(c.List(c.Context(), &networks, client.MatchingLabels{consts.RemoteClusterID: c.namespace}))
		if len(networks.Items) != 2 {
			c.Errorf("there are %d Networks", len(networks.Items))
		}
		c.must(c.Delete(c.Context(), one))
		c.awaitGone(&networks, networks.Items[0].Name)
	},
	"Liqo gives a range that the cluster has itself another place": func(c *check) {
		var own ipamv1alpha1.Network
		c.must(c.Get(c.Context(), client.ObjectKey{Namespace: "liqo", Name: "pod-cidr"}, &own))
		one := c.configuration(string(own.Spec.CIDR))
		asked, err := netip.ParsePrefix(string(own.Spec.CIDR))
		c.must(err)
		given, err := netip.ParsePrefix(string(one.Status.Remote.CIDR.Pod[0]))
		c.must(err)
		if given.Overlaps(asked) || given.Bits() != asked.Bits() || !given.Addr().IsPrivate() {
			c.Errorf("%s is remapped to %s", asked, given)
		}
	},
	"Liqo gives a gateway server keys and an address": func(c *check) {
		gateway := &networkingv1beta1.GatewayServer{ObjectMeta: c.forRemote(), Spec: networkingv1beta1.GatewayServerSpec{
			MTU: 1340,
			Endpoint: networkingv1beta1.Endpoint{
				ServiceType: corev1.ServiceTypeNodePort, Port: forge.DefaultGwServerPort,
			},
			ServerTemplateRef: corev1.ObjectReference{
				APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayServerTemplateKind,
				Name: forge.DefaultGwServerTemplateName, Namespace: "liqo",
			},
		}}
		c.must(c.Create(c.Context(), gateway))
		gateway = await(c, gateway, func(seen *networkingv1beta1.GatewayServer) bool {
			return seen.Status.Endpoint != nil && len(seen.Status.Endpoint.Addresses) > 0 && seen.Status.SecretRef != nil
		})
		if port := gateway.Status.Endpoint.Port; port < 30000 || port > 32767 {
			c.Errorf("its port is %d", port)
		}
		c.goesWithItsKeys(gateway, gateway.Status.SecretRef)
	},
	"Liqo gives a gateway client keys": func(c *check) {
		gateway := &networkingv1beta1.GatewayClient{ObjectMeta: c.forRemote(), Spec: networkingv1beta1.GatewayClientSpec{
			MTU: 1340, Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: []string{"192.0.2.1"}, Port: 30000, Protocol: new(corev1.ProtocolUDP),
			},
			ClientTemplateRef: corev1.ObjectReference{
				APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayClientTemplateKind,
				Name: forge.DefaultGwClientTemplateName, Namespace: "liqo",
			},
		}}
		c.must(c.Create(c.Context(), gateway))
		gateway = await(c, gateway, func(seen *networkingv1beta1.GatewayClient) bool { return seen.Status.SecretRef != nil })
		c.goesWithItsKeys(gateway, gateway.Status.SecretRef)
	},
	"Liqo creates a ForeignCluster for the cluster of a Configuration": func(c *check) {
		c.configuration("10.251.0.0/16")
		changes, err := c.Watch(c.Context(), &liqov1beta1.ForeignClusterList{},
			client.MatchingLabels{consts.RemoteClusterID: c.namespace})
		c.must(err)
		defer changes.Stop()
		change := <-changes.ResultChan()
		known, ok := change.Object.(*liqov1beta1.ForeignCluster)
		if !ok || string(known.Spec.ClusterID) != c.namespace {
			c.Fatalf("a watch brought %#v", change.Object)
		}
		c.must(c.Delete(c.Context(), known))
	},
}

// configuration creates a Configuration for a cluster with a pod CIDR, and returns it once Liqo has remapped it.
func (c *check) configuration(podCIDR string) *networkingv1beta1.Configuration {
	c.Helper()
	remote := liqov1beta1.ClusterID(c.namespace)
	one := forge.Configuration(c.namespace, c.namespace, remote, []string{podCIDR}, "192.168.255.0/24")
	c.must(c.Create(c.Context(), one))
	return await(c, one, networkingutils.AreConfigurationNetworkCIDRsConfigured)
}

// forRemote returns the metadata of the gateway for the remote cluster.
func (c *check) forRemote() metav1.ObjectMeta {
	remote := c.named(c.namespace)
	remote.Labels = map[string]string{consts.RemoteClusterID: c.namespace}
	return remote
}

// goesWithItsKeys deletes a gateway. It fails unless the gateway has keys in a Secret, which goes with it.
func (c *check) goesWithItsKeys(gateway client.Object, at *corev1.ObjectReference) {
	c.Helper()
	var keys corev1.Secret
	c.must(c.Get(c.Context(), client.ObjectKey{Namespace: at.Namespace, Name: at.Name}, &keys))
	if len(keys.Data[consts.PrivateKeyField]) != 32 || len(keys.Data[consts.PublicKeyField]) != 32 {
		c.Errorf("Secret %s has not the keys of a gateway", at.Name)
	}
	c.must(c.Delete(c.Context(), gateway))
	c.awaitGone(&corev1.SecretList{}, at.Name)
}
