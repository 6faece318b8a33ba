package direct

import (
	"reflect"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func selecting(namespace, name, app string, annotations map[string]string) *corev1.Service {
	service := &corev1.Service{ObjectMeta: named(namespace, name)}
	service.Annotations = annotations
	if app != "" {
		service.Spec.Selector = map[string]string{"app": app}
	}
	return service
}

func offloadedPod(namespace, name, app, node string, phase corev1.PodPhase) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: named(namespace, name)}
	pod.Labels["app"], pod.Labels[consts.LocalPodLabelKey] = app, consts.LocalPodLabelValue
	pod.Spec.NodeName, pod.Status.Phase = node, phase
	return pod
}

func TestACentreShowsWhereItRunsThePodsOfServices(t *testing.T) {
	local := offloadedPod("shop", "web-local", "web", "europe-node", corev1.PodRunning)
	delete(local.Labels, consts.LocalPodLabelKey)
	second := virtualNode("rome") // of the same leaf
	second.Name = "node-rome-gpu"
	placements, err := Placements(t.Context(), clustertest.Leaf(t, "europe", []client.Object{
		virtualNode("rome"), virtualNode("milan"), virtualNode("naples"), second,
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "europe-node"}}, local,
		selecting("shop", "web", "web", asked),
		selecting("shop", "db", "db", map[string]string{annotation: refused, consts.SkipReflectionAnnotationKey: "false"}),
		selecting("shop", "kept", "web", map[string]string{consts.SkipReflectionAnnotationKey: "true"}),
		selecting("shop", "by-hand", "", nil), selecting("shop", "nobody", "nobody", nil),
		selecting("other", "web", "web", nil), selecting("empty", "web", "web", nil),
		offloadedPod("shop", "web-milan", "web", "node-milan", corev1.PodPending),
		offloadedPod("shop", "db-milan", "db", "node-milan", corev1.PodRunning),
		offloadedPod("shop", "db-rome", "db", "node-rome-gpu", corev1.PodRunning),
		offloadedPod("shop", "asks", "client", "node-rome", corev1.PodRunning),
		offloadedPod("shop", "done", "web", "node-naples", corev1.PodSucceeded),
		offloadedPod("shop", "broken", "web", "node-naples", corev1.PodFailed),
		offloadedPod("other", "web", "web", "node-naples", corev1.PodRunning),
	}...))
	inShop := map[string]int{"milan": 2, "rome": 2}
	expected := []Placement{
		{"other", "web", false, map[string]bool{"naples": true}, map[string]int{"naples": 1}},
		{"shop", "db", false, map[string]bool{"milan": true, "rome": true}, inShop},
		{"shop", "web", true, map[string]bool{"milan": true}, inShop},
	}
	if err != nil || !reflect.DeepEqual(placements, expected) {
		t.Errorf("%+v, %v", placements, err)
	}
}
