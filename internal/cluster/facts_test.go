package cluster_test

import (
	"slices"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestGatewayTemplatesAreThoseOfServersThenThoseOfClients(t *testing.T) {
	at := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	leaf := clustertest.Leaf(t, "rome",
		&networkingv1beta1.WgGatewayClientTemplate{ObjectMeta: at("liqo", "wireguard-client")},
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: at("liqo", "wireguard-server")},
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: at("custom", "wireguard-server")},
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: at("custom", "large")},
	)
	const (
		servers = "networking.liqo.io/v1beta1/wggatewayservertemplates"
		clients = "networking.liqo.io/v1beta1/wggatewayclienttemplates"
	)
	expected := []cluster.GatewayTemplate{
		{Name: "large", Namespace: "custom", Resource: servers, Role: cluster.ServerRole},
		{Name: "wireguard-server", Namespace: "custom", Resource: servers, Role: cluster.ServerRole},
		{Name: "wireguard-server", Namespace: "liqo", Resource: servers, Role: cluster.ServerRole},
		{Name: "wireguard-client", Namespace: "liqo", Resource: clients, Role: cluster.ClientRole},
	}
	if got, err := leaf.GatewayTemplates(t.Context()); err != nil || !slices.Equal(got, expected) {
		t.Errorf("got %+v (%v)", got, err)
	}
}

func TestAnInternalCIDRMayBeMissing(t *testing.T) {
	if cidr, err := clustertest.Leaf(t, "rome").InternalCIDR(t.Context()); err != nil || cidr != "" {
		t.Errorf("got %q (%v)", cidr, err)
	}
	leaf := clustertest.Leaf(t, "rome", &ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "liqo", Name: "internal-cidr",
			Labels: map[string]string{"ipam.liqo.io/network-type": "internal-cidr"},
		},
		Status: ipamv1alpha1.NetworkStatus{CIDR: "10.80.0.0/16"},
	})
	if cidr, err := leaf.InternalCIDR(t.Context()); err != nil || cidr != "10.80.0.0/16" {
		t.Errorf("got %q (%v)", cidr, err)
	}
}

func TestTheClustersThatAreMeantWithoutNamingAnyAreTheListedOnesElseEveryContext(t *testing.T) {
	kubeconfig := cluster.Kubeconfig{
		Content: `{"contexts": [{"name": "rome", "context": {}}, {"name": "milan", "context": {}}]}`,
	}
	clusters := map[string]cluster.Credentials{"roma": {}, "europe": {}}
	for name, test := range map[string]struct {
		config   cluster.Config
		expected []string
	}{
		"listed ones":  {cluster.Config{Kubeconfig: kubeconfig, Clusters: clusters}, []string{"europe", "roma"}},
		"all contexts": {cluster.Config{Kubeconfig: kubeconfig}, []string{"milan", "rome"}},
	} {
		registry := cluster.NewRegistry(test.config)
		if names, err := registry.Listed(); err != nil || !slices.Equal(names, test.expected) {
			t.Errorf("%s: %q (%v)", name, names, err)
		}
		registry.Close()
	}
	registry := cluster.NewRegistry(cluster.Config{Kubeconfig: cluster.Kubeconfig{Paths: []string{"/nowhere/kubeconfig"}}})
	defer registry.Close()
	if names, err := registry.Listed(); err == nil {
		t.Errorf("a kubeconfig that can't be read has %q", names)
	}
}
