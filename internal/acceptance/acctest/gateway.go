package acctest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NextGateway returns a function that returns when another pod of a cluster's gateway runs than now.
func (l *RealLab) NextGateway(t *testing.T, cluster string) func() {
	t.Helper()
	old := l.GatewayPod(t, cluster)
	return func() {
		t.Helper()
		AwaitAny(t, l.Lab, cluster, &corev1.PodList{}, func(pod *corev1.Pod) bool {
			return pod.UID != old.UID && pod.Status.Phase == corev1.PodRunning
		}, client.InNamespace(old.Namespace))
	}
}

// GatewayPod is the pod of a cluster's only gateway.
func (l *RealLab) GatewayPod(t *testing.T, cluster string) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	err := l.Administrator(t, cluster).List(
		t.Context(), &pods, client.MatchingLabels{"networking.liqo.io/component": "gateway"},
	)
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods of gateways run on %s (%v)", len(pods.Items), cluster, err)
	}
	return &pods.Items[0]
}

// GatewayChange says which gateways a change replaces. A replacement interrupts traffic.
type GatewayChange string

// The gateways that a change may replace.
const (
	KeepsGateways    GatewayChange = "neither gateway"
	ReplacesGateways GatewayChange = "both gateways"
	ReplacesClient   GatewayChange = "the client's gateway"
	ReplacesServer   GatewayChange = "the server's gateway"
)

// GatewayUIDs stores the UIDs of the gateways of Rome and Milan between steps.
type GatewayUIDs struct {
	T    *testing.T
	Lab  *Lab
	last map[string]types.UID // keyed by the cluster's name
}

// Changed checks which gateways were replaced since the last step.
func (g *GatewayUIDs) Changed(expected GatewayChange) Check {
	return g.Lab.Gateways(g.T, func(
		client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer,
	) error {
		now, before := map[string]types.UID{"rome": client.UID, "milan": server.UID}, g.last
		g.last = now
		if replaced := (map[[2]bool]GatewayChange{
			{false, false}: KeepsGateways, {true, true}: ReplacesGateways, {true, false}: ReplacesClient,
			{false, true}: ReplacesServer,
		}[[2]bool{now["rome"] != before["rome"], now["milan"] != before["milan"]}]); replaced != expected {
			return fmt.Errorf("replaced %s, expected %s", replaced, expected)
		}
		return nil
	})
}

// Gateways checks the gateways of Rome, which dials, and of Milan. Terraform's state may have only the requested
// values.
func (l *Lab) Gateways(
	t *testing.T, check func(*networkingv1beta1.GatewayClient, *networkingv1beta1.GatewayServer) error,
) Check {
	t.Helper()
	return func(ctx context.Context) error {
		var clients networkingv1beta1.GatewayClientList
		var servers networkingv1beta1.GatewayServerList
		if err := errors.Join(
			l.Client(t, "rome").List(ctx, &clients), l.Client(t, "milan").List(ctx, &servers),
		); err != nil {
			return err
		}
		if len(clients.Items) != 1 || len(servers.Items) != 1 {
			return fmt.Errorf("got %d GatewayClients and %d GatewayServers", len(clients.Items), len(servers.Items))
		}
		return check(&clients.Items[0], &servers.Items[0])
	}
}
