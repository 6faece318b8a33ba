package byhand

import (
	"context"
	"errors"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestTheFirstObjectThatAnswersIsTaken(t *testing.T) {
	objects := watch.NewFakeWithChanSize(3, false)
	objects.Add(&networkingv1beta1.GatewayServer{})
	objects.Modify(&networkingv1beta1.GatewayServer{Status: networkingv1beta1.GatewayServerStatus{
		Endpoint: &networkingv1beta1.EndpointStatus{Addresses: []string{""}},
	}})
	objects.Modify(&networkingv1beta1.GatewayServer{Status: networkingv1beta1.GatewayServerStatus{
		Endpoint: &networkingv1beta1.EndpointStatus{Addresses: []string{"172.18.0.3"}, Port: 30007},
	}})
	got, err := firstAnswer(t.Context(), objects, endpointOf)
	if err != nil || got.Port != 30007 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTheKeysOfEitherGatewayAreFound(t *testing.T) {
	secret := &corev1.ObjectReference{Name: "keys"}
	server, client := &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{}
	server.Status.SecretRef, client.Status.SecretRef = secret, secret
	if got := secretOf(server); got != secret {
		t.Errorf("of the server: %v", got)
	}
	if got := secretOf(client); got != secret {
		t.Errorf("of the client: %v", got)
	}
	if got := secretOf(&networkingv1beta1.GatewayClient{}); got != nil {
		t.Errorf("of a client without keys: %v", got)
	}
}

func TestOnlyAConnectionThatIsUpIsConnected(t *testing.T) {
	connection := &networkingv1beta1.Connection{
		Status: networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connecting},
	}
	if connected(connection) != nil {
		t.Error("a Connection that is Connecting counts as connected")
	}
	connection.Status.Value = networkingv1beta1.Connected
	if connected(connection) == nil {
		t.Error("a Connection that is Connected does not count as connected")
	}
}

func TestAWaitEndsWithItsWatchItsErrorOrItsContext(t *testing.T) {
	t.Run("watch", func(t *testing.T) {
		objects := watch.NewFake()
		objects.Stop()
		if _, err := firstAnswer(t.Context(), objects, secretOf); err == nil {
			t.Error("no error")
		}
	})
	t.Run("error", func(t *testing.T) {
		objects := watch.NewFakeWithChanSize(1, false)
		objects.Error(&metav1.Status{Message: "too old"})
		if _, err := firstAnswer(t.Context(), objects, secretOf); err == nil || err.Error() != "too old" {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("another write has failed")
		cancel(reason)
		if _, err := firstAnswer(ctx, watch.NewFake(), secretOf); !errors.Is(err, reason) {
			t.Errorf("the error is %v", err)
		}
	})
}
