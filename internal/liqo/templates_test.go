package liqo_test

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestGatewayTemplatesAreThoseOfServersThenThoseOfClientsAndNoneThatIsDerived(t *testing.T) {
	at := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	derived := &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: at("liqo-tenant-milan", "milan")}
	cluster.SetAnnotation(derived, liqo.BaseAnnotation, "d1ge57")
	leaf := clustertest.Leaf(t, "rome", derived, // and Liqo's own
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: at("custom", "wireguard-server")},
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: at("custom", "large")},
	)
	const (
		servers = "networking.liqo.io/v1beta1/wggatewayservertemplates"
		clients = "networking.liqo.io/v1beta1/wggatewayclienttemplates"
	)
	expected := []liqo.GatewayTemplate{
		{Name: "large", Namespace: "custom", Resource: servers, Role: liqo.ServerRole},
		{Name: "wireguard-server", Namespace: "custom", Resource: servers, Role: liqo.ServerRole},
		{Name: "wireguard-server", Namespace: "liqo", Resource: servers, Role: liqo.ServerRole},
		{Name: "wireguard-client", Namespace: "liqo", Resource: clients, Role: liqo.ClientRole},
	}
	if got, err := liqo.GatewayTemplates(t.Context(), leaf); err != nil || !slices.Equal(got, expected) {
		t.Errorf("got %+v (%v)", got, err)
	}
}
