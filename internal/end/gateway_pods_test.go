package end

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// gatewayPod is a Ready pod of Milan's gateway on a node.
func gatewayPod(name, node string) *corev1.Pod {
	pod := clustertest.GatewayPod("rome", name, node)
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return pod
}

func TestAPlanWarnsIfNothingCouldTakeOver(t *testing.T) {
	starting, waiting := gatewayPod("b", "two"), gatewayPod("b", "")
	starting.Status.Conditions[0].Status = corev1.ConditionFalse
	waiting.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: "0/1 nodes are available: 1 Insufficient cpu.",
	}}
	for name, test := range map[string]struct {
		pods     []client.Object
		expected trouble.ID
	}{
		"two that are ready":     {[]client.Object{gatewayPod("a", "one"), gatewayPod("b", "two")}, ""},
		"one that is not":        {[]client.Object{gatewayPod("a", "one"), starting}, "standby-missing"},
		"one without a node":     {[]client.Object{gatewayPod("a", "one"), waiting}, "standby-not-scheduled"},
		"none":                   {nil, "standby-missing"},
		"three, one of them not": {[]client.Object{gatewayPod("a", "one"), starting, gatewayPod("c", "three")}, ""},
		"three, one without a node": {
			[]client.Object{gatewayPod("a", "one"), waiting, gatewayPod("c", "three")}, "standby-not-scheduled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.pods...)
			milan.Owner = me
			ensure(t, milan, replicated())
			problem := milan.StandbyMissing(t.Context())
			if problem == nil && test.expected != "" || problem != nil && problem.ID != test.expected {
				t.Errorf("got %v", problem)
			}
			noNode := test.expected == "standby-not-scheduled" // an apply names these, and none that are to start
			if problem := milan.PodsWithoutNode(t.Context()); (problem != nil) != noNode {
				t.Errorf("after an apply, got %v", problem)
			}
			ensure(t, milan, overNodePort())
			if problem := milan.StandbyMissing(t.Context()); problem != nil {
				t.Errorf("without replicas: got %v", problem)
			}
		})
	}
}

func TestAPodIsActiveSinceItGotTheLabel(t *testing.T) {
	elected := metav1.NewTime(time.Unix(1000, 0))
	pod := gatewayPod("a", "one")
	pod.Labels[activeLabel] = "true"
	pod.CreationTimestamp = metav1.NewTime(time.Unix(500, 0))
	if since := activeSince(pod); !since.Equal(pod.CreationTimestamp.Time) {
		t.Errorf("a pod that is active from its start is so since %s", since)
	}
	pod.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kubelet", Time: new(metav1.NewTime(time.Unix(2000, 0))), FieldsV1: &metav1.FieldsV1{Raw: []byte("{}")}},
		{Manager: "gateway", Time: &elected, FieldsV1: &metav1.FieldsV1{
			Raw: []byte(`{"f:metadata":{"f:labels":{"f:networking.liqo.io/active":{}}}}`),
		}},
	}
	if since := activeSince(pod); !since.Equal(elected.Time) {
		t.Errorf("it is active since %s", since)
	}
}
