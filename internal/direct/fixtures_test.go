package direct

import (
	"context"
	"testing"

	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// The Service shop/web of Europe has the pods web-rome in Rome, at 10.0.1.5, and web-milan in Milan, at 10.0.2.5. The
// leaves reach each other's pods of 10.0.0.0/16 at 10.80.0.0/16, and Europe's external addresses at 10.71.0.0/16.
const (
	toRome      = "10.80.1.5"
	toMilan     = "10.80.2.5"
	toRomeBack  = "10.71.0.5" // through Europe
	toMilanBack = "10.71.0.6"
)

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{}}
}

// slice is an EndpointSlice of the Service with one address for each of these pods.
func slice(name string, pods map[string]string, labels ...string) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{ObjectMeta: named("shop", name), AddressType: discoveryv1.AddressTypeIPv4}
	s.Labels[discoveryv1.LabelServiceName] = "web"
	for _, label := range labels {
		s.Labels[label] = consts.ManagedByShadowEndpointSliceValue
	}
	for pod, address := range pods {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{
			Addresses: []string{address}, TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: pod}, NodeName: new(nodeOf[pod]),
		})
	}
	return s
}

// nodeOf has the node of the centre on which each pod runs.
var nodeOf = map[string]string{"web-rome": "node-rome", "web-milan": "node-milan", "web-naples": "node-naples"}

// reflected is the EndpointSlice that Liqo keeps in a leaf.
func reflected(pod, address string) *discoveryv1.EndpointSlice {
	return slice("web-0", map[string]string{pod: address}, consts.ManagedByLabelKey)
}

// twin is the EndpointSlice in which Liqo after 1.2 keeps the address of the pod in Milan through the centre.
func twin() *discoveryv1.EndpointSlice {
	return slice("web-0-indirect", map[string]string{"web-milan": toMilanBack}, consts.ManagedByLabelKey)
}

// unready makes the endpoints of an EndpointSlice those that the Service sends no packets to.
func unready(s *discoveryv1.EndpointSlice) *discoveryv1.EndpointSlice {
	for i := range s.Endpoints {
		s.Endpoints[i].Conditions.Ready = new(false)
	}
	return s
}

func virtualNode(leaf string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-" + leaf, Labels: map[string]string{
		consts.TypeLabel: consts.TypeNode, consts.RemoteClusterID: leaf,
	}}}
}

func namespaceMap(leaf string) *offloadingv1beta1.NamespaceMap {
	m := &offloadingv1beta1.NamespaceMap{ObjectMeta: named("liqo-tenant-"+leaf, leaf)}
	m.Labels[consts.RemoteClusterID] = leaf
	m.Spec.DesiredMapping = map[string]string{"shop": "shop"}
	m.Status.CurrentMapping = map[string]offloadingv1beta1.RemoteNamespaceStatus{
		"shop": {RemoteNamespace: "shop", Phase: offloadingv1beta1.MappingAccepted},
	}
	return m
}

// web is the Service with these annotations.
func web(annotations map[string]string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "web", UID: "web", Annotations: annotations,
	}}
}

var asked = map[string]string{annotation: requested}

// europe is the centre with a Service.
func europe(t *testing.T, service *corev1.Service) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, "europe", inEurope(service, podsOfWeb())...)
}

// inEurope are the objects of the centre with a Service and its pods.
func inEurope(service *corev1.Service, pods *discoveryv1.EndpointSlice) []client.Object {
	return []client.Object{
		service, virtualNode("rome"), virtualNode("milan"), namespaceMap("rome"), namespaceMap("milan"), pods,
	}
}

func podsOfWeb() *discoveryv1.EndpointSlice {
	return slice("web-0", map[string]string{"web-rome": "10.0.1.5", "web-milan": "10.0.2.5"})
}

// rome and milan are leaves with a network, and with these EndpointSlices of the Service.
func rome(t *testing.T, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, "rome", append(objects, clustertest.Remapped("europe", "10.0.0.0/16", "10.71.0.0/16"),
		slice("own", map[string]string{"web-rome": "10.0.1.5"}))...)
}

func milan(t *testing.T, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, "milan", append(objects, clustertest.Remapped("europe", "10.0.0.0/16", "10.71.0.0/16"),
		slice("own", map[string]string{"web-milan": "10.0.2.5"}))...)
}

// central are the leaves with a network of their own, while they reach each other's pods through the centre.
func central(t *testing.T) (inRome, inMilan *cluster.Leaf) {
	t.Helper()
	return rome(t, joined("milan"), reflected("web-milan", toMilanBack)),
		milan(t, joined("rome"), reflected("web-rome", toRomeBack))
}

// followed is a Service with these leaves, which follow each of its changes.
func followed(t *testing.T, service *corev1.Service) (*Service, *cluster.Leaf) {
	t.Helper()
	centre := europe(t, service)
	r, m := central(t)
	following(t, centre, r, m)
	return of(centre, r, m), centre
}

// joined is the Configuration of the network with another leaf.
func joined(with string) client.Object {
	return clustertest.Remapped(with, "10.80.0.0/16", "10.72.0.0/16")
}

// of returns the Service with these leaves.
func of(centre *cluster.Leaf, leaves ...*cluster.Leaf) *Service {
	return New(centre, "shop", "web", func(_ context.Context, id string) (*cluster.Leaf, error) {
		for _, leaf := range leaves {
			if string(leaf.ID) == id {
				return leaf, nil
			}
		}
		return nil, &cluster.UnknownIDError{ID: id}
	})
}

// replace replaces an EndpointSlice of a cluster.
func replace(ctx context.Context, leaf *cluster.Leaf, by *discoveryv1.EndpointSlice) error {
	var former discoveryv1.EndpointSlice
	if err := leaf.Clients().Live.Get(ctx, client.ObjectKeyFromObject(by), &former); err != nil {
		return err
	}
	by.ResourceVersion = former.ResourceVersion
	return leaf.Clients().Live.Update(ctx, by)
}

// following lets the leaves follow each change of the Service in the centre, as Liqo does.
func following(t *testing.T, centre, rome, milan *cluster.Leaf) {
	t.Helper()
	follow := func(ctx context.Context, c client.Client) error {
		var service corev1.Service
		if err := c.Get(ctx, client.ObjectKey{Namespace: "shop", Name: "web"}, &service); err != nil {
			return err
		}
		inRome, inMilan := reflected("web-milan", toMilanBack), reflected("web-rome", toRomeBack)
		if service.Annotations[annotation] == requested {
			inRome, inMilan = reflected("web-milan", toMilan), reflected("web-rome", toRome)
		}
		for leaf, slice := range map[*cluster.Leaf]*discoveryv1.EndpointSlice{rome: inRome, milan: inMilan} {
			if err := replace(ctx, leaf, slice); err != nil {
				return err
			}
		}
		return nil
	}
	clustertest.On(centre, "apply patch", func(call clustertest.Call[any]) error {
		if err := call.Send(); err != nil {
			return err
		}
		return follow(call.Context, call.Client)
	})
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
