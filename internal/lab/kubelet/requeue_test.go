package kubelet

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func newPodIn(namespace, name string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Status: corev1.PodStatus{Phase: phase},
	}
}

func TestWhatDependsOnAChangedObjectIsLookedAtAgain(t *testing.T) {
	in := fake.NewClientBuilder().WithObjects(
		newPodIn("one", "waiting", corev1.PodPending), newPodIn("one", "running", corev1.PodRunning),
		newPodIn("two", "waiting", corev1.PodPending),
	).Build()
	pending := Requeue(in, &corev1.PodList{}, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodPending })
	for name, test := range map[string]struct {
		changed client.Object
		want    []string
	}{
		"in its namespace": {
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "one"}}, []string{"one/waiting"},
		},
		"everywhere if it is in none":            {&corev1.Node{}, []string{"one/waiting", "two/waiting"}},
		"everywhere if no object has changed":    {nil, []string{"one/waiting", "two/waiting"}},
		"nowhere if nothing there depends on it": {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "three"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer queue.ShutDown()
			pending.Generic(t.Context(), event.GenericEvent{Object: test.changed}, queue)
			var got []string
			for queue.Len() > 0 {
				request, _ := queue.Get()
				got = append(got, request.String())
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
