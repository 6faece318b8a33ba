package kubelet

import (
	"testing"
	"testing/synctest"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestANodeIsSilentWhileItIsLostAndThenReportsThatItIsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := NewNode(node, newOptions().NodeIP, nil, "v1.35.4")
		lost.Status.Conditions[0].Status = corev1.ConditionUnknown
		pod := newPod()
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.202.0.10"}
		r := newKubelet(pod, lost)
		set(t, r.Settings, node)
		errs := make(chan error, 1)
		go (&heartbeat{r.Options, r.client}).beat(t.Context())
		go func() {
			_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(pod)})
			errs <- err
		}()

		synctest.Wait()
		if well, ready := reported(t, r.client); well || ready {
			t.Errorf("while it is lost, it reports that it is well: %t, and its pod ready: %t", well, ready)
		}
		set(t, r.Settings, "another-node")
		synctest.Wait()
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
		if well, ready := reported(t, r.client); !well || !ready {
			t.Errorf("when it is back, it reports that it is well: %t, and its pod ready: %t", well, ready)
		}
	})
}

func set(t *testing.T, settings *Settings, lostNodes string) {
	t.Helper()
	if err := settings.Set("lost-nodes", lostNodes); err != nil {
		t.Fatal(err)
	}
}

// reported returns what a kubelet has reported: whether the node is well, with a lease, and its pod ready.
func reported(t *testing.T, reader client.Reader) (well, ready bool) {
	t.Helper()
	var pod corev1.Pod
	if err := reader.Get(t.Context(), client.ObjectKeyFromObject(newPod()), &pod); err != nil {
		t.Fatal(err)
	}
	var object corev1.Node
	if err := reader.Get(t.Context(), client.ObjectKey{Name: node}, &object); err != nil {
		t.Fatal(err)
	}
	var leases coordinationv1.LeaseList
	if err := reader.List(t.Context(), &leases); err != nil {
		t.Fatal(err)
	}
	return object.Status.Conditions[0].Status == corev1.ConditionTrue && len(leases.Items) == 1, isReady(&pod)
}
