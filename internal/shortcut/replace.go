package shortcut

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gatewaysDiffer tells whether one of the gateways that exist is not as spec wants it, or is on its way out.
//
// Both gateways are replaced then. Their keys and their Connections' status would otherwise speak of a tunnel that is no more; and Liqo reports no
// generation in a gateway's status, so a changed gateway could not be told from one that Liqo has not looked at yet.
func (s *Shortcut) gatewaysDiffer(ctx context.Context, spec Spec, clNamespace, srvNamespace string) (bool, error) {
	cl, err := s.client.find(ctx)
	if err != nil {
		return false, err
	}
	srv, err := s.server.find(ctx)
	if err != nil {
		return false, err
	}
	if cl.server != nil || srv.client != nil {
		return true, nil // they run in the opposite direction
	}
	if srv.server != nil {
		if differs, err := s.server.serverDiffers(ctx, srv, spec, srvNamespace); err != nil || differs {
			return differs, err
		}
	}
	if cl.client == nil {
		return false, nil
	}
	return s.client.clientDiffers(ctx, cl.client, endpointOf(srv.server), spec, clNamespace)
}

// serverDiffers tells whether the server's gateway is to be replaced; it exists.
func (s *side) serverDiffers(ctx context.Context, found objects, spec Spec, namespace string) (bool, error) {
	wanted, err := s.forgeServer(found.server, namespace, spec)
	if err != nil {
		return false, err
	}
	if leaving(found.server) || found.server.Namespace != namespace || !equality.Semantic.DeepEqual(found.server.Spec, wanted.Spec) {
		return true, nil
	}
	if lost, err := s.keysLost(ctx, found.server.Status.SecretRef, found.server.Spec.SecretRef); err != nil || lost {
		return lost, err
	}
	return s.serviceLost(ctx, found)
}

// clientDiffers tells whether the client's gateway is to be replaced; it exists. Endpoint is where the server's gateway can be reached, nil while it can't.
func (s *side) clientDiffers(
	ctx context.Context, gateway *networkingv1beta1.GatewayClient, endpoint *Endpoint, spec Spec, namespace string,
) (bool, error) {
	if endpoint == nil || leaving(gateway) || gateway.Namespace != namespace {
		return true, nil // it dials a gateway that is not there, or is not where it shall be
	}
	wanted, err := s.forgeClient(gateway, namespace, *endpoint, spec)
	if err != nil {
		return false, err
	}
	if !equality.Semantic.DeepEqual(gateway.Spec, wanted.Spec) {
		return true, nil
	}
	return s.keysLost(ctx, gateway.Status.SecretRef, gateway.Spec.SecretRef)
}

// removeGatewayIf removes this side's gateway if the answer of that step is yes.
func (s *side) removeGatewayIf(change *step[bool]) func(context.Context) (none, error) {
	return func(ctx context.Context) (none, error) {
		if !change.get() {
			return none{}, nil
		}
		return none{}, s.removeGateways(ctx)
	}
}

// removeGateways deletes this side's gateway and the key it trusts, and returns once all that Liqo made for it is gone too. Until then a gateway of the
// same name would inherit the old one's keys and Service.
func (s *side) removeGateways(ctx context.Context) error {
	found, err := s.find(ctx)
	if err != nil {
		return err
	}
	for _, object := range found.ownGateways(s.owner) {
		if err := s.delete(ctx, object); err != nil {
			return err
		}
	}
	remains := found.madeForGateways(s.owner)
	if found.gateway() == nil {
		if remains, err = s.orphans(ctx); err != nil {
			return err
		}
	}
	for _, one := range remains {
		if err := s.untilAllGone(ctx, one); err != nil {
			return err
		}
	}
	return s.until(ctx, "the gateway to be gone", func(left objects) bool {
		return len(left.ownGateways(s.owner)) == 0 && (left.connection == nil || left.gateway() != nil)
	}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{}, &networkingv1beta1.PublicKey{}, &networkingv1beta1.Connection{})
}

// ownGateways are the gateways that the owner may remove, and the keys that they trust.
func (o objects) ownGateways(owner Owner) []client.Object {
	return slices.DeleteFunc(o.owned(owner), isConfiguration)
}

func leaving(object client.Object) bool { return !object.GetDeletionTimestamp().IsZero() }
