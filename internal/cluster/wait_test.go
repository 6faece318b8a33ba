package cluster_test

import (
	"context"
	"errors"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAWaitEndsWithTheChangeThatItWaitsFor(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome")
	asked := make(chan struct{}, 10)
	ended := make(chan error, 1)
	go func() {
		ended <- leaf.Until(t.Context(), "milan", func(ctx context.Context) (bool, error) {
			asked <- struct{}{}
			var list networkingv1beta1.ConfigurationList
			err := leaf.Clients().Cached.List(ctx, &list)
			return len(list.Items) == 1, err
		}, &networkingv1beta1.Configuration{})
	}()
	<-asked // immediately, without any change
	configuration := forge.Configuration("milan", "default", "milan", []string{"10.0.0.0/16"}, "10.1.0.0/16")
	must(t, leaf.Apply(t.Context(), configuration))
	must(t, <-ended)
}

func TestAWaitEndsWithTheCauseOfItsContextOrWithAnErrorOfItsOwn(t *testing.T) {
	leaf, reason := clustertest.Leaf(t, "rome"), errors.New("enough")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	for ctx, err := range map[context.Context]error{ended: nil, t.Context(): reason} {
		condition := func(context.Context) (bool, error) { return false, err }
		if got := leaf.Until(ctx, "milan", condition, &networkingv1beta1.Configuration{}); !errors.Is(got, reason) {
			t.Errorf("the condition returns %v, and the wait %v", err, got)
		}
	}
}

func TestAWaitForADeletionSeesIt(t *testing.T) {
	another := keys()
	another.Name = "others"
	leaf := clustertest.Leaf(t, "rome", keys(), another)
	read := make(chan struct{}, 10)
	clustertest.On(leaf, "get", func(call clustertest.Call[any]) error {
		err := call.Send()
		read <- struct{}{}
		return err
	})
	ended := untilGone(t.Context(), leaf)
	<-read // at first
	<-read // after the watch has begun, so that only the watch can tell
	for _, deleted := range []*corev1.Secret{another, keys()} {
		select {
		case err := <-ended:
			t.Fatalf("the wait has ended before the deletion of %s: %v", deleted.Name, err)
		default:
		}
		must(t, leaf.Clients().Live.Delete(t.Context(), deleted.DeepCopy()))
	}
	must(t, <-ended)
}

func TestWhatIsAppliedTwiceIsThere(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome")
	for _, cidr := range []string{"10.0.0.0/16", "10.9.0.0/16"} {
		configuration := forge.Configuration("milan", "default", "milan", []string{cidr}, "10.1.0.0/16")
		must(t, leaf.Apply(t.Context(), configuration))
		if configuration.UID == "" && configuration.ResourceVersion == "" {
			t.Error("the result of the write is not in the object")
		}
		var found networkingv1beta1.Configuration
		must(t, leaf.Clients().Cached.Get(t.Context(), client.ObjectKeyFromObject(configuration), &found))
		if found.Spec.Remote.CIDR.Pod[0].String() != cidr {
			t.Errorf("the pod CIDR is %s, expected %s", found.Spec.Remote.CIDR.Pod[0], cidr)
		}
	}
}

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
