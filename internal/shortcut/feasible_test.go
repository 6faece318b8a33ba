package shortcut

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// romesTenant is the tenant namespace for Rome, as a peering makes it.
func romesTenant() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-rome", Labels: map[string]string{
		"liqo.io/remote-cluster-id": "rome", "liqo.io/tenant-namespace": "true",
	}}}
}

func namespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestANameThatATenantNamespaceNeedsMustBeFree(t *testing.T) {
	unusual := romesTenant()
	unusual.Name = "tenants-rome"
	for name, test := range map[string]struct {
		objects []client.Object
		summary string // of the problem; empty for none
	}{
		"no namespace yet":         {nil, ""},
		"the tenant namespace":     {[]client.Object{romesTenant()}, ""},
		"one of an unusual name":   {[]client.Object{unusual, namespaceNamed("liqo-tenant-rome")}, ""},
		"another of the same name": {[]client.Object{namespaceNamed("liqo-tenant-rome")}, `namespace liqo-tenant-rome is taken on leaf "milan"`},
	} {
		err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.objects...)).CheckServerNamespace(t.Context(), "")
		if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTheOwnersGatewayForAnotherClusterIsAboutToBeReplaced(t *testing.T) {
	gateway := clientGateway("172.18.0.2")
	gateway.Namespace = "own"
	Owner{Token: "first"}.mark(gateway)
	rome := clustertest.Leaf(t, "rome", gateway, namespaceNamed("own"))
	for token, refused := range map[string]bool{"first": false, "second": true} {
		err := New(rome, clustertest.Leaf(t, "naples")).OwnedBy(Owner{Token: token}).CheckClientNamespace(t.Context(), "own")
		if (err != nil) != refused {
			t.Errorf("%s: got %v", token, err)
		}
	}
}

func TestKeysOfTheUsersOwnMustOutliveTheShortcut(t *testing.T) {
	managedTenant := ours(romesTenant())
	inOwn := keySecret(newKeys(t))
	inOwn.Namespace = "own"
	const refused = `Secret liqo-tenant-rome/my-keys would go with the shortcut on leaf "milan"`
	for name, test := range map[string]struct {
		objects []client.Object
		keys    Keys
		summary string // of the problem; empty for none
	}{
		"Liqo's":                                   {nil, Keys{}, ""},
		"in a namespace of one's own":              {[]client.Object{namespaceNamed("own"), inOwn}, Keys{Namespace: "own"}, ""},
		"in one that does not exist":               {nil, Keys{Namespace: "own"}, ""}, // which another check tells of
		"in a peering's tenant namespace":          {[]client.Object{romesTenant(), keySecret(newKeys(t))}, Keys{}, ""},
		"in one that will be adopted":              {[]client.Object{romesTenant(), keySecret(newKeys(t))}, Keys{Adopt: true}, refused},
		"in one that will be made":                 {nil, Keys{}, refused},
		"in one that was made":                     {[]client.Object{managedTenant, keySecret(newKeys(t))}, Keys{}, refused},
		"in one that was made, although asked for": {[]client.Object{managedTenant, keySecret(newKeys(t))}, Keys{Namespace: managedTenant.Name}, refused},
	} {
		if name != "Liqo's" {
			test.keys.Secret = "my-keys"
		}
		err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.objects...)).CheckServerKeys(t.Context(), test.keys)
		if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// serverTemplate is a template of a server's gateway whose Service has these fields, besides the usual ones.
func serverTemplate(fields map[string]any) *networkingv1beta1.WgGatewayServerTemplate {
	service := map[string]any{"spec": map[string]any{"type": "{{ .Spec.Endpoint.ServiceType }}", "ports": []any{fields}}}
	template := &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: DefaultServerTemplateName}}
	template.Spec.Template.Object = map[string]any{"spec": map[string]any{"service": service}}
	return template
}

func TestATemplateTellsWhichSettingsItTakes(t *testing.T) {
	for name, test := range map[string]struct {
		fields   map[string]any
		expected ServerTemplate
	}{
		"none":                 {map[string]any{"protocol": "UDP"}, ServerTemplate{}},
		"a port of its own":    {map[string]any{"nodePort": int64(30100)}, ServerTemplate{}},
		"no template at all":   {map[string]any{"nodePort": ".NodePort"}, ServerTemplate{}},
		"the node port":        {map[string]any{"?nodePort": "{{ .Spec.Endpoint.NodePort }}"}, ServerTemplate{TakesNodePort: true}},
		"a balancer's address": {map[string]any{"x": "{{with .Spec.Endpoint}}{{.LoadBalancerIP}}{{end}}"}, ServerTemplate{TakesLoadBalancerIP: true}},
	} {
		shortcut := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", serverTemplate(test.fields)))
		test.expected.Name = "WgGatewayServerTemplate liqo/wireguard-server"
		if got, err := shortcut.CheckServerTemplate(t.Context(), ServerGateway{}); err != nil || got != test.expected {
			t.Errorf("%s: got %+v (%v)", name, got, err)
		}
	}
}

func TestARangeOutsideThePoolsIsRemappedWhateverIsTaken(t *testing.T) {
	server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")).server
	pools := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.0.0/16")}
	for cidr, outside := range map[string]bool{"10.1.0.0/16": false, "192.168.0.0/16": false, "100.64.0.0/16": true, "192.0.0.0/8": true} {
		overlaps := server.overlapsWith(nil, pools, cluster.Networks{PodCIDRs: []string{cidr}})
		if (len(overlaps) == 1) != outside {
			t.Errorf("%s: got %v", cidr, overlaps)
		}
		if outside && !strings.Contains(overlaps[0].String(), cidr+` of "rome" is outside the ranges that Liqo on "milan" gives out, 10.0.0.0/8 and 192.168.0.0/16:`) {
			t.Errorf("it says: %s", overlaps[0])
		}
		if overlaps := server.overlapsWith(nil, nil, cluster.Networks{PodCIDRs: []string{cidr}}); len(overlaps) > 0 {
			t.Errorf("%s, with pools that nobody knows: got %v", cidr, overlaps)
		}
	}
}

func TestWhatTheOwnersOtherShortcutHasTakenWillBeFree(t *testing.T) {
	configuration := theirs("turin")
	Owner{Token: "mine"}.mark(configuration)
	taken := &ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-turin", Name: "turin-pod", Labels: map[string]string{"liqo.io/remote-cluster-id": "turin"}},
		Status:     ipamv1alpha1.NetworkStatus{CIDR: "10.9.0.0/16"},
	}
	rome, milan := leafWith(t, "rome", configuration, taken), leafWith(t, "milan")
	for token, expected := range map[string]int{"mine": 0, "another's": 1} {
		at := New(rome, milan).OwnedBy(Owner{Token: token}).client
		if overlaps, err := at.overlaps(t.Context(), cluster.Networks{PodCIDRs: []string{"10.9.0.0/16"}}); err != nil || len(overlaps) != expected {
			t.Errorf("%s: got %v (%v)", token, overlaps, err)
		}
	}
}

func TestRangesOfIPv6AreRefusedBeforeAnythingIsWritten(t *testing.T) {
	for name, end := range map[string]EndSpec{
		"pods":          {PodCIDRs: []string{"10.1.0.0/16", "fd00::/64"}},
		"external CIDR": {ExternalCIDR: "fd00::/64"},
	} {
		rome, milan := leafWith(t, "rome"), leafWith(t, "milan")
		shortcut := New(rome, milan)
		spec := overNodePort
		spec.ClientEnd = end
		for _, err := range []error{shortcut.CheckClientRanges(t.Context(), end), shortcut.Connect(t.Context(), spec)} {
			var problem *explain.Problem
			if !errors.As(err, &problem) || problem.Leaf != "rome" || problem.Summary != "Liqo can't join the IPv6 range fd00::/64" {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if found, err := shortcut.look(t.Context()); err != nil || len(found.client.all())+len(found.server.all()) > 0 {
			t.Errorf("%s: something was written (%v)", name, err)
		}
	}
}
