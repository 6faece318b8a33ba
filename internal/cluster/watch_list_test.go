package cluster_test

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// podNamed is a pod with a label by which a list selects it.
func podNamed(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, Labels: map[string]string{"app": "a"},
	}}
}

func TestAWaitForAListEndsWithTheChangeThatItWaitsFor(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome", podNamed("a"))
	asked := make(chan struct{}, 10)
	ended := make(chan error, 1)
	go func() {
		var pods corev1.PodList
		ended <- leaf.UntilList(t.Context(), &pods, func(context.Context) (bool, error) {
			asked <- struct{}{}
			return len(pods.Items) == 2, nil
		}, client.InNamespace("default"), client.MatchingLabels{"app": "a"})
	}()
	<-asked // before the watch
	<-asked // after it has begun
	must(t, leaf.Clients().Live.Create(t.Context(), podNamed("b")))
	must(t, <-ended)
}

func TestAWaitForAListEndsWithItsContextOrWithAnError(t *testing.T) {
	leaf, reason := clustertest.Leaf(t, "rome"), errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := leaf.UntilList(ctx, &corev1.PodList{}, func(context.Context) (bool, error) {
		cancel(reason)
		return false, nil
	})
	if !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
	err = leaf.UntilList(t.Context(), &corev1.PodList{}, func(context.Context) (bool, error) { return false, reason })
	if !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}
