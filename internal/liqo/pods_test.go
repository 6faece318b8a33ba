package liqo_test

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestTheGatewaysOfANamespaceHaveEachTheirOwnPods(t *testing.T) {
	podOf := func(namespace, gateway string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "gw-" + gateway, Labels: map[string]string{"networking.liqo.io/gateway-name": gateway},
		}}
	}
	milan := clustertest.Leaf(t, "milan", podOf("one", "rome"), podOf("one", "turin"), podOf("another", "rome"),
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "one", Name: "web"}})
	gateway := &networkingv1beta1.GatewayServer{ObjectMeta: metav1.ObjectMeta{Namespace: "one", Name: "rome"}}
	pods, err := liqo.PodsOf(t.Context(), milan, gateway)
	if err != nil || len(pods) != 1 || pods[0].Namespace != "one" || pods[0].Name != liqo.MadeForGateway(gateway).Name {
		t.Errorf("got %v (%v)", pods, err)
	}
}
