package liqo_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// gatewayDeployment runs a gateway with these arguments, beside the container of the tunnel.
func gatewayDeployment(arguments ...string) *appsv1.Deployment {
	deployment := clustertest.GatewayDeployment("milan")
	deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "wireguard"}, {Name: "gateway", Args: arguments}}
	return deployment
}

func TestPingsAreThoseOfTheGatewaysArgumentsElseTheUsualOnes(t *testing.T) {
	usual := liqo.UsualPings()
	rare, disabled := usual, usual
	rare.Interval, rare.LossThreshold, rare.Report = 20*time.Second, 3, 5*time.Minute
	disabled.Enabled = false
	for name, test := range map[string]struct {
		deployed []client.Object
		expected liqo.Pings
	}{
		"no Deployment": {nil, usual},
		"no arguments":  {[]client.Object{gatewayDeployment()}, usual},
		"as Liqo's templates have them": {
			[]client.Object{gatewayDeployment("--name=$(NAME)", "--ping-enabled=true", "--ping-loss-threshold=3",
				"--ping-interval=20s", "--ping-update-status-interval=5m")}, rare,
		},
		"no pings": {[]client.Object{gatewayDeployment("--ping-enabled=false")}, disabled},
		"unreadable": {[]client.Object{
			gatewayDeployment("--ping-interval", "--ping-loss-threshold=", "--ping-update-status-interval=often"),
		}, usual},
	} {
		t.Run(name, func(t *testing.T) {
			rome := clustertest.Leaf(t, "rome", test.deployed...)
			pings, err := liqo.PingsOf(t.Context(), rome, clustertest.GatewayClient("milan"))
			if err != nil || pings != test.expected {
				t.Errorf("got %+v (%v)", pings, err)
			}
		})
	}
}

func TestPingsThatMayNotBeReadAreTheUsualOnes(t *testing.T) {
	rome := clustertest.Leaf(t, "rome")
	answer := apierrors.NewForbidden(schema.GroupResource{}, "gw-milan", nil)
	clustertest.On(rome, "get", func(clustertest.Call[any]) error { return answer })
	gateway := clustertest.GatewayClient("milan")
	if pings, err := liqo.PingsOf(t.Context(), rome, gateway); err != nil || pings != liqo.UsualPings() {
		t.Errorf("got %+v (%v)", pings, err)
	}
	answer = apierrors.NewServiceUnavailable("no endpoints")
	if _, err := liqo.PingsOf(t.Context(), rome, gateway); !cluster.Unreachable(err) {
		t.Errorf("got %v", err)
	}
}
