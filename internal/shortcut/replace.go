package shortcut

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// replacesServer reports whether the server's gateway is made anew, be it that it is gone, not as spec wants it, or on its way out. The client's goes at once with it.
//
// Their keys and their Connections' status would otherwise speak of a tunnel that is no more; and Liqo reports no generation in a gateway's status, so a changed
// gateway could not be told from one that Liqo has not looked at yet. An address that is missing, or is another than before, is no reason: nodes come and go, and
// load balancers take their time.
func (s *Shortcut) replacesServer(ctx context.Context, spec Spec, namespace string) (bool, error) {
	found, err := s.look(ctx)
	switch {
	case err != nil:
		return false, err
	case found.client.server != nil || found.server.client != nil:
		return true, nil // they run in the opposite direction
	case found.server.server == nil:
		return found.client.client != nil, nil
	default:
		return s.server.serverDiffers(ctx, found.server, spec, namespace)
	}
}

// serverDiffers reports whether the server's gateway is to be replaced; it exists.
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

// clientDiffers reports whether the client's gateway is to be replaced; it exists. Endpoint is where the server's gateway can be reached.
func (s *side) clientDiffers(
	ctx context.Context, gateway *networkingv1beta1.GatewayClient, endpoint Endpoint, spec Spec, namespace string,
) (bool, error) {
	wanted, err := s.forgeClient(gateway, namespace, endpoint, spec)
	if err != nil {
		return false, err
	}
	if leaving(gateway) || gateway.Namespace != namespace || !equality.Semantic.DeepEqual(gateway.Spec, wanted.Spec) {
		return true, nil
	}
	return s.keysLost(ctx, gateway.Status.SecretRef, gateway.Spec.SecretRef)
}

// makeRoom removes this side's gateway if the server's is replaced. Former is as in [EndSpec].
func (s *side) makeRoom(former KeySecret) func(context.Context, bool) error {
	return func(ctx context.Context, replace bool) error {
		if replace {
			return s.removeGateways(ctx, client.ObjectKey(former))
		}
		found, err := s.find(ctx)
		if err != nil || found.keySecret() == former { // it still uses that one, and loses it when it goes
			return err
		}
		return s.unlabel(ctx, client.ObjectKey(former))
	}
}

// hangUp removes the client's gateway if there is one that is not as spec wants it, or dials elsewhere. The server's keeps its keys, Service and address.
func (s *side) hangUp(ctx context.Context, namespace string, endpoint Endpoint, spec Spec) error {
	found, err := s.find(ctx)
	if err != nil || found.client == nil {
		return err
	}
	if differs, err := s.clientDiffers(ctx, found.client, endpoint, spec, namespace); err != nil || !differs {
		return err
	}
	return s.removeGateways(ctx)
}

// removeGateways deletes this side's gateway and the key it trusts, and returns once all that Liqo made for it is gone too. Until then a gateway of the
// same name would inherit the old one's keys and Service. Secrets of the user's own are as they were then: those that the gateway was given, and these.
func (s *side) removeGateways(ctx context.Context, keySecrets ...client.ObjectKey) error {
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
		keySecrets = append(keySecrets, one.brought)
	}
	for _, key := range keySecrets {
		if err := s.unlabel(ctx, key); err != nil {
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
