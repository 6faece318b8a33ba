package byhand

import (
	"context"
	"errors"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// await returns the first answer that an object of a watch gives.
func await[T any](ctx context.Context, objects watch.Interface, answer func(runtime.Object) *T) (*T, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case event, open := <-objects.ResultChan():
			switch {
			case !open:
				return nil, errors.New("the watch has ended")
			case event.Type == watch.Error:
				return nil, apierrors.FromObject(event.Object)
			}
			if found := answer(event.Object); found != nil {
				return found, nil
			}
		}
	}
}

// endpointOf is where a server's gateway can be reached. Liqo first reports an empty address.
func endpointOf(object runtime.Object) *networkingv1beta1.EndpointStatus {
	gateway, ok := object.(*networkingv1beta1.GatewayServer)
	if !ok || gateway.Status.Endpoint == nil || len(gateway.Status.Endpoint.Addresses) == 0 || gateway.Status.Endpoint.Addresses[0] == "" {
		return nil
	}
	return gateway.Status.Endpoint
}

// secretOf is where a gateway's keys are.
func secretOf(object runtime.Object) *corev1.ObjectReference {
	switch gateway := object.(type) {
	case *networkingv1beta1.GatewayServer:
		return gateway.Status.SecretRef
	case *networkingv1beta1.GatewayClient:
		return gateway.Status.SecretRef
	}
	return nil
}

// connected is a Connection that is up.
func connected(object runtime.Object) *networkingv1beta1.Connection {
	connection, ok := object.(*networkingv1beta1.Connection)
	if !ok || connection.Status.Value != networkingv1beta1.Connected {
		return nil
	}
	return connection
}
