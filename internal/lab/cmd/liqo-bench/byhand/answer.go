package byhand

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
)

// firstAnswer returns the first answer of an object in a watch. If the watch ends, this is an
// error, and the watch is not opened again: a time with a gap in it is worthless.
func firstAnswer[T any](ctx context.Context, objects watch.Interface, answer func(runtime.Object) *T) (*T, error) {
	var found *T
	_, err := watchtools.UntilWithoutRetry(ctx, objects, func(event watch.Event) (bool, error) {
		if event.Type == watch.Error {
			return false, apierrors.FromObject(event.Object)
		}
		found = answer(event.Object)
		return found != nil, nil
	})
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, err
}

// endpointOf returns the endpoint of a server's gateway. Liqo first reports an empty address.
func endpointOf(object runtime.Object) *networkingv1beta1.EndpointStatus {
	gateway, ok := object.(*networkingv1beta1.GatewayServer)
	if !ok {
		return nil
	}
	endpoint := gateway.Status.Endpoint
	if endpoint == nil || len(endpoint.Addresses) == 0 || endpoint.Addresses[0] == "" {
		return nil
	}
	return endpoint
}

// secretOf returns the Secret with a gateway's keys.
func secretOf(object runtime.Object) *corev1.ObjectReference {
	switch gateway := object.(type) {
	case *networkingv1beta1.GatewayServer:
		return gateway.Status.SecretRef
	case *networkingv1beta1.GatewayClient:
		return gateway.Status.SecretRef
	}
	return nil
}

// connected reports whether a Connection is up.
func connected(object runtime.Object) *networkingv1beta1.Connection {
	connection, ok := object.(*networkingv1beta1.Connection)
	if !ok || connection.Status.Value != networkingv1beta1.Connected {
		return nil
	}
	return connection
}
