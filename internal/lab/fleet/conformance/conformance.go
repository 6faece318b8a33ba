// Package conformance shows that a leaf of a fleet answers as a real cluster does. A test runs the same checks on
// both.
package conformance

import (
	"context"
	"net/netip"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// Check checks the cluster that a configuration leads to. It must have Liqo. What it creates there is gone at its end.
func Check(t *testing.T, config *rest.Config) {
	t.Helper()
	config = rest.CopyConfig(config)
	config.QPS = -1
	objects, err := client.NewWithWatch(config, client.Options{Scheme: kube.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, checks := range []map[string]func(*check){writes, deletions, reads, ofLiqo} {
		for name, do := range checks {
			t.Run(name, func(t *testing.T) { do(newCheck(t, objects, served)) })
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), longest) // a cluster takes some time to delete what they contain
	defer cancel()
	var namespaces corev1.NamespaceList
	if err := objects.List(ctx, &namespaces, client.HasLabels{checkLabel}); err != nil {
		t.Fatal(err)
	}
	if err := kube.AwaitDeleted(ctx, objects, &namespaces, client.HasLabels{checkLabel}); err != nil {
		t.Fatal(err)
	}
}

// checkLabel is on the namespace of each check.
const checkLabel = "liqo-lab/check"

// check is one check of a cluster, in a namespace of its own.
type check struct {
	*testing.T
	client.WithWatch

	served    discovery.DiscoveryInterface
	namespace string
}

// newCheck creates a tenant namespace for a check. Its name is also the ID of the remote cluster.
func newCheck(t *testing.T, objects client.WithWatch, served discovery.DiscoveryInterface) *check {
	t.Helper()
	c := &check{t, objects, served, names.SimpleNameGenerator.GenerateName("conformance-")}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: c.namespace,
		Labels: map[string]string{
			consts.RemoteClusterID: c.namespace, consts.TenantNamespaceLabel: "true", checkLabel: "",
		},
	}}
	c.must(c.Create(c.Context(), namespace))
	c.Cleanup(func() { c.must(client.IgnoreNotFound(c.Delete(context.WithoutCancel(c.Context()), namespace))) })
	return c
}

// named returns the metadata of an object in the namespace.
func (c *check) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: c.namespace, Name: name}
}

// must fails the test if there is an error.
func (c *check) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// refuses fails the test unless an error is of a kind.
func (c *check) refuses(err error, is func(error) bool) {
	c.Helper()
	if !is(err) {
		c.Error(err)
	}
}

// configMap creates an object without a controller and without a spec.
func (c *check) configMap(name string) *corev1.ConfigMap {
	c.Helper()
	one := &corev1.ConfigMap{ObjectMeta: c.named(name)}
	c.must(c.Create(c.Context(), one))
	return one
}

// longest is how long the events of a watch, or a reaction of Liqo, may take.
const longest = 30 * time.Second

// await returns an object of the namespace once it is as expected.
func await[T client.Object](c *check, one T, done func(T) bool) (seen T) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), longest)
	defer cancel()
	c.must(kube.Await(ctx, c.WithWatch, one, func(now T) bool {
		seen = now
		return done(now)
	}, c.only(one.GetName())...))
	return seen
}

// awaitGone returns when an object of the list's kind in the namespace is gone.
func (c *check) awaitGone(list client.ObjectList, name string) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), longest)
	defer cancel()
	c.must(c.List(ctx, list, c.only(name)...))
	c.must(kube.AwaitDeleted(ctx, c.WithWatch, list, c.only(name)...))
}

// only selects one object of the namespace.
func (c *check) only(name string) []client.ListOption {
	return []client.ListOption{client.InNamespace(c.namespace), client.MatchingFields{"metadata.name": name}}
}

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
