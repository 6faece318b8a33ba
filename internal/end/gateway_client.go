package end

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// forgeGatewayClient returns the wanted gateway. It takes its name and namespace from existing, if that is not nil.
func (e *End) forgeGatewayClient(
	ctx context.Context, existing *liqo.Gateway, namespace string, server liqo.Endpoint,
	spec liqo.GatewayClient,
) (desiredGateway, error) {
	dialled := spec.Dials(server)
	gateway := &networkingv1beta1.GatewayClient{
		ObjectMeta: e.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayClientSpec{
			MTU: spec.MTU,
			Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: dialled.Addresses,
				Port:      dialled.Port,
				Protocol:  new(corev1.Protocol(dialled.Protocol)),
			},
			SecretRef: corev1.LocalObjectReference{Name: spec.KeySecret},
		},
	}
	setRotation(gateway, spec.KeyRotation)
	e.setLimited(gateway, spec.Limited)
	if existing != nil {
		gateway.Name, gateway.Namespace = existing.GetName(), existing.GetNamespace()
		e.Owner.KeepOrigin(gateway, existing)
		keepDerived(gateway, existing)
	}
	desired := liqo.GatewayOf(gateway)
	derived, err := e.takeTemplate(ctx, desired, spec)
	return desiredGateway{desired, derived}, err
}

// EnsureGatewayClient creates the gateway that dials the other leaf's gateway at server, or changes it in place. It
// does not wait for pods that restart.
func (e *End) EnsureGatewayClient(
	ctx context.Context, namespace string, server liqo.Endpoint, spec liqo.GatewayClient,
) (EnsuredGateway, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return EnsuredGateway{}, err
	}
	existing := objects.GatewayAs(liqo.ClientRole)
	gateway, err := e.forgeGatewayClient(ctx, existing, namespace, server, spec)
	if err != nil {
		return EnsuredGateway{}, err
	}
	if existing == nil {
		return e.createGateway(ctx, gateway)
	}
	ensured, _, err := e.changeGateway(ctx, objects, existing, gateway)
	return ensured, err
}

// ReplacesGatewayClient reports whether there is a gateway that can't be changed in place. The reasons are those of
// [End.ReplacesGatewayServer]. Another endpoint to dial is none.
func (e *End) ReplacesGatewayClient(ctx context.Context, namespace string, spec liqo.GatewayClient) (bool, error) {
	objects, err := e.Find(ctx)
	gateway := objects.GatewayAs(liqo.ClientRole)
	if err != nil || gateway == nil {
		return false, err
	}
	return e.replacesGateway(ctx, gateway, namespace, spec)
}
