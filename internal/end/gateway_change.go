package end

import (
	"context"

	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// This file creates and changes gateways of both kinds.

// EnsuredGateway is a gateway as it shall be, and what that took.
type EnsuredGateway struct {
	client.Object

	New      bool // there was none before
	Restarts bool // there was one, and its pods restart with a new setting
	Rolls    bool // it restarts, but with nothing that the other gateway has to follow

	former  []types.UID          // of one with limits that restarts: the pods before, if they can be listed
	keys    <-chan client.Object // of a new one: the Secret of its keys, whenever it is seen
	service *corev1.Service      // of an existing server, after the change

	// parts are what the object of WireGuard says after a change of an existing gateway. They are nil if there is no such
	// object: Liqo has not seen the gateway yet, or has made it of another technology.
	parts *parts
}

// Reconnects reports whether the gateway has to learn anew where the other one is.
func (g EnsuredGateway) Reconnects() bool { return g.New || g.Restarts }

// createGateway creates a gateway of which there is none.
func (e *End) createGateway(ctx context.Context, gateway desiredGateway) (EnsuredGateway, error) {
	created := EnsuredGateway{Object: gateway.Object, New: true}
	if err := e.labelKeys(ctx, gateway.Gateway); err != nil {
		return EnsuredGateway{}, err
	}
	if isWireGuard(*gateway.Template) && gateway.derived != nil {
		made, err := e.renderGateway(ctx, nil, gateway)
		if err == nil {
			err = e.checkDeployment(ctx, gateway, made)
		}
		if err != nil {
			return EnsuredGateway{}, err
		}
	}
	if err := e.ensureDerived(ctx, gateway); err != nil {
		return EnsuredGateway{}, err
	}
	if gateway.Secret.Name == "" {
		created.keys = e.Leaf.Follow(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(string(e.Remote.ID)),
		}})
	}
	return created, e.Leaf.Apply(ctx, gateway.Object)
}

// changeGateway gives the gateway that exists already the settings of another one, and new keys if these say so.
func (e *End) changeGateway(
	ctx context.Context, objects liqo.Objects, existing *liqo.Gateway, gateway desiredGateway,
) (EnsuredGateway, error) {
	if err := e.labelKeys(ctx, gateway.Gateway); err != nil {
		return EnsuredGateway{}, err
	}
	rotated, err := e.rotateKeys(ctx, objects, gateway.GetAnnotations()[liqo.RotationAnnotation])
	if err != nil {
		return EnsuredGateway{}, err
	}
	ensured, err := e.change(ctx, objects, change{existing, gateway, rotated.restarts})
	if err == nil {
		err = e.recordRotation(ctx, rotated)
	}
	if err == nil {
		err = e.dropDerived(ctx, liqo.GatewayOf(ensured.Object))
	}
	return ensured, err
}

// change is a change of an existing gateway.
type change struct {
	existing *liqo.Gateway
	desired  desiredGateway
	rotates  bool // its keys are new, so that its pods restart in any case
}

// change applies a gateway that exists already, and returns when Liqo has changed the object of its technology. A
// gateway of another technology than WireGuard does not differ.
func (e *End) change(ctx context.Context, objects liqo.Objects, change change) (EnsuredGateway, error) {
	ensured := EnsuredGateway{Object: change.desired.Object}
	differs, err := e.differs(ctx, change.existing, change.desired)
	if err != nil {
		return ensured, err
	}
	technology := change.existing.Made
	if technology == nil || !isWireGuard(*technology) {
		return ensured, e.applyExisting(ctx, change.desired)
	}
	ensured.parts = &parts{}
	if err := e.untilParts(ctx, *technology, func(p parts) bool { *ensured.parts = p; return true }); err != nil {
		return ensured, err
	}
	if !differs && !change.rotates {
		return ensured, e.applyExisting(ctx, change.desired)
	}
	desired, err := e.renderGateway(ctx, change.existing, change.desired)
	if err == nil {
		err = e.checkDeployment(ctx, change.desired, desired)
	}
	if err == nil {
		err = e.beginChange(ctx, objects, change, &ensured, desired)
	}
	if err == nil {
		err = e.applyExisting(ctx, change.desired)
	}
	if err != nil {
		return ensured, err
	}
	err = e.untilParts(ctx, *technology, func(p parts) bool { *ensured.parts = p; return p.carry(desired) })
	return ensured, explain.Wait(ctx, e.Subject(), "Liqo to change the gateway", err)
}

// beginChange finds out whether the pods restart if the parts of a gateway become the desired ones, and prepares that.
//
// If they restart, it deletes the Connection. The new pods create another one as soon as they know the other gateway's
// key. The Connection would otherwise still call the tunnel of the old pods up.
func (e *End) beginChange(
	ctx context.Context, objects liqo.Objects, change change, ensured *EnsuredGateway, desired parts,
) (err error) {
	byItself := ensured.parts.restartFor(desired)
	ensured.Restarts = byItself || change.rotates
	if !ensured.Restarts {
		return nil
	}
	ensured.Rolls = !change.rotates && sameTunnel(change.existing, change.desired.Gateway)
	if objects.HasLimits() {
		if ensured.former, err = e.beginLimitedRestart(ctx, objects, ensured.Rolls); err != nil {
			return err
		}
	}
	return e.beginRestart(ctx, objects, byItself)
}

// beginRestart deletes the Connections of a gateway whose pods restart, and also the pods unless they restart by
// themselves, because their Deployment changes.
func (e *End) beginRestart(ctx context.Context, objects liqo.Objects, byItself bool) error {
	for _, connection := range objects.Tunnels() {
		if err := e.delete(ctx, connection); err != nil {
			return err
		}
	}
	if byItself {
		return nil
	}
	pods, err := liqo.PodsOf(ctx, e.Leaf, objects.Gateway)
	if err != nil {
		return err
	}
	for i := range pods { // the Deployment creates others; Liqo would undo a change of it
		if err := e.delete(ctx, &pods[i]); err != nil {
			return err
		}
	}
	return nil
}

// applyExisting applies an existing gateway, and removes settings that someone else has added. Fields that its type
// does not have stay as they are.
func (e *End) applyExisting(ctx context.Context, gateway desiredGateway) error {
	if err := e.ensureDerived(ctx, gateway); err != nil {
		return err
	}
	desired := gateway.Copy()
	err := e.Leaf.Apply(ctx, gateway.Object)
	if err != nil || !differ(gateway.Gateway, desired) {
		return err
	}
	return e.Leaf.Edit(ctx, gateway.Object, func(object client.Object) { liqo.GatewayOf(object).SetSpec(desired) })
}

// replacesGateway reports whether a gateway can't be changed in place to these settings: it is marked for deletion, its
// namespace, template or Secret changes, or its keys are gone.
func (e *End) replacesGateway(
	ctx context.Context, gateway *liqo.Gateway, namespace string, settings liqo.GatewaySettings,
) (bool, error) {
	replacesTemplate, err := e.replacesTemplate(gateway, settings)
	if err != nil {
		return false, err
	}
	if Leaving(gateway) || gateway.GetNamespace() != namespace || replacesTemplate ||
		gateway.Secret.Name != settings.KeySecret {
		return true, nil
	}
	return e.keysLost(ctx, gateway)
}

// replacesTemplate reports whether the gateway would be made from another template. A template that is derived from the
// same one is no other.
func (e *End) replacesTemplate(gateway *liqo.Gateway, settings liqo.GatewaySettings) (bool, error) {
	base := settings.TemplateOn(e.Leaf.LiqoNamespace)
	if derivation := liqo.DerivationOf(gateway); derivation != nil {
		return derivation.Base != base, nil
	}
	template, err := e.refer(base)
	return *gateway.Template != template, err
}
