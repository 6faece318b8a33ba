package end

import (
	"context"
	"fmt"
	"slices"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// gatewayMeta names and labels a gateway as liqoctl does, and marks it as the owner's.
func (e *End) gatewayMeta(namespace string) metav1.ObjectMeta {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: string(e.Remote.ID), Namespace: namespace,
		Labels: map[string]string{consts.RemoteClusterID: string(e.Remote.ID)},
	}}
	e.Owner.Mark(object)
	return object.ObjectMeta
}

// desiredGateway is a gateway as it shall be, with its derived template.
type desiredGateway struct {
	*liqo.Gateway

	derived *unstructured.Unstructured // nil if the gateway takes a template as it is
}

// differ reports whether the specs of two gateways differ, or whether their templates were derived for other settings.
func differ(g, other *liqo.Gateway) bool {
	return !equality.Semantic.DeepEqual(g.Spec, other.Spec) ||
		g.GetAnnotations()[liqo.DerivationAnnotation] != other.GetAnnotations()[liqo.DerivationAnnotation]
}

// sameTunnel reports whether two gateways differ in nothing but their templates, so that the gateway at the other end
// fits both.
func sameTunnel(one, other *liqo.Gateway) bool {
	copied := one.Copy()
	*copied.Template = *other.Template
	return equality.Semantic.DeepEqual(copied.Spec, other.Spec)
}

// forgeGateway returns the gateway that these settings make of what there is: the existing one, or nil, and the desired
// one, which has its name and namespace. A client dials the server, unless its settings say where else.
func (e *End) forgeGateway(
	ctx context.Context, objects liqo.Objects, namespace string, server liqo.Endpoint, settings liqo.GatewaySettings,
) (existing *liqo.Gateway, desired desiredGateway, err error) {
	existing = objects.GatewayAs(settings.Role)
	gateway := liqo.GatewayOf(e.newGateway(namespace, server, settings))
	*gateway.MTU, gateway.Secret.Name = settings.MTU, settings.KeySecret
	setRotation(gateway.Object, settings.KeyRotation)
	e.setLimited(gateway.Object, settings.Limited)
	if existing != nil {
		gateway.SetName(existing.GetName())
		gateway.SetNamespace(existing.GetNamespace())
		e.Owner.KeepOrigin(gateway, existing)
		keepDerived(gateway, existing)
	}
	derived, err := e.takeTemplate(ctx, gateway, settings)
	return existing, desiredGateway{gateway, derived}, err
}

// newGateway returns a gateway with the settings that only one role has.
//
// It does not use Liqo's own forge for gateways. That needs a whole clientset to find one kind, which would add every
// API of Kubernetes to the binary.
func (e *End) newGateway(namespace string, server liqo.Endpoint, settings liqo.GatewaySettings) client.Object {
	if settings.Role == liqo.ServerRole {
		return &networkingv1beta1.GatewayServer{
			ObjectMeta: e.gatewayMeta(namespace),
			Spec: networkingv1beta1.GatewayServerSpec{
				Endpoint: networkingv1beta1.Endpoint{
					Port:           settings.Port,
					ServiceType:    settings.ServiceType,
					NodePort:       pointerTo(settings.NodePort),
					LoadBalancerIP: pointerTo(settings.LoadBalancerIP),
				},
				ServiceAnnotations: settings.ServiceAnnotations,
				ServiceLabels:      settings.ServiceLabels,
			},
		}
	}
	dialled := settings.Dials(server)
	return &networkingv1beta1.GatewayClient{
		ObjectMeta: e.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayClientSpec{Endpoint: networkingv1beta1.EndpointStatus{
			Addresses: dialled.Addresses,
			Port:      dialled.Port,
			Protocol:  new(corev1.Protocol(dialled.Protocol)),
		}},
	}
}

// pointerTo returns nil for the zero value, which leaves the choice to Kubernetes.
func pointerTo[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// presumedGateway is as [End.forgeGateway] while nobody knows the server. A new client has no endpoint before there is
// a server, so it gets an example of one.
func (e *End) presumedGateway(
	ctx context.Context, objects liqo.Objects, settings liqo.GatewaySettings,
) (existing *liqo.Gateway, desired desiredGateway, err error) {
	server := objects.Dialled()
	if server == nil {
		server = &liqo.Endpoint{Addresses: []string{"192.0.2.1"}, Port: liqo.DefaultPort, Protocol: forge.DefaultProtocol}
	}
	return e.forgeGateway(ctx, objects, "", *server, settings)
}

// EnsureGateway creates the gateway, or changes it in place. A client dials the other leaf's gateway at server. After a
// change of a server, it returns when the gateway's Service has changed. It does not wait for pods that restart.
func (e *End) EnsureGateway(
	ctx context.Context, namespace string, server liqo.Endpoint, settings liqo.GatewaySettings,
) (EnsuredGateway, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return EnsuredGateway{}, err
	}
	existing, gateway, err := e.forgeGateway(ctx, objects, namespace, server, settings)
	if err != nil {
		return EnsuredGateway{}, err
	}
	if existing == nil {
		return e.createGateway(ctx, gateway)
	}
	ensured, err := e.changeGateway(ctx, objects, existing, gateway)
	if err != nil || ensured.parts == nil || existing.Server == nil {
		return ensured, err
	}
	ensured.service, err = e.changeService(ctx, existing.Server, ensured.parts.Service)
	return ensured, err
}

// ReplacesGateway reports whether there is a gateway that can't be changed in place. This is so if its namespace,
// template or Secret changes, or if it is marked for deletion. It is also so if something is gone that Liqo created for
// it and does not create again.
//
// A missing or changed address is no reason: nodes come and go, and load balancers take their time. Nor is another
// endpoint to dial.
func (e *End) ReplacesGateway(ctx context.Context, namespace string, settings liqo.GatewaySettings) (bool, error) {
	objects, err := e.Find(ctx)
	gateway := objects.GatewayAs(settings.Role)
	if err != nil || gateway == nil {
		return false, err
	}
	if replaces, err := e.replacesGateway(ctx, gateway, namespace, settings); err != nil || replaces {
		return replaces, err
	}
	return e.ServiceLost(ctx, objects)
}

// ChangesGateway reports whether a gateway with these settings is new, differs from the one that exists, or gets new
// keys.
func (e *End) ChangesGateway(ctx context.Context, settings liqo.GatewaySettings) (bool, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return false, err
	}
	existing, desired, err := e.presumedGateway(ctx, objects, settings)
	if err != nil || existing == nil {
		return err == nil, err
	}
	return e.changes(ctx, objects, existing, desired)
}

// changes reports whether the desired gateway differs from the one that exists, or gets new keys.
func (e *End) changes(
	ctx context.Context, objects liqo.Objects, existing *liqo.Gateway, desired desiredGateway,
) (bool, error) {
	if rotates(objects, desired.GetAnnotations()[liqo.RotationAnnotation]) {
		return true, nil
	}
	return e.differs(ctx, existing, desired)
}

// differs reports whether an existing gateway, or the template that is derived for it, is not as desired.
func (e *End) differs(ctx context.Context, existing *liqo.Gateway, desired desiredGateway) (bool, error) {
	if differ(existing, desired.Gateway) {
		return true, nil
	}
	return e.derivedDiffers(ctx, existing, desired)
}

// waitForGateway waits until done is true for the gateway that this leaf has or gets, with its Connection, as the
// function read finds them. It ends with an error when the gateway is gone, because someone else has deleted it. An
// apply does not create it again by itself: it might fight against another program. It also ends when the leaf refuses
// what Liqo makes for the gateway.
func (e *End) waitForGateway(
	ctx context.Context, waitedFor string, read func(context.Context) (liqo.Objects, error), done func(liqo.Objects) bool,
	kinds ...client.Object,
) error {
	var seen client.Object // the gateway, once the cache has it
	var gone bool
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go func() {
		if e.untilRefused(ctx) {
			giveUp(explain.ErrRefused)
		}
	}()
	err := e.wait(ctx, waitedFor, read, func(objects liqo.Objects) bool {
		if objects.Gateway != nil {
			seen = objects.Gateway.Object
		} else if seen != nil {
			gone = true
		}
		return gone || done(objects)
	}, append(kinds, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{})...)
	if err != nil || !gone {
		return err
	}
	return &trouble.Problem{
		ID: "gateway-deleted-meanwhile", Leaf: e.Leaf.Name, Summary: "another user has deleted the gateway",
		Advice: fmt.Sprintf("%s was there, and is gone since the apply waits for %s. Perhaps another user has run `liqoctl "+
			"network disconnect`. Another apply creates it again.", e.Leaf.Describe(seen), waitedFor),
	}
}

// firstLook is the time after which a wait first looks for a refusal. Each later look comes after twice the time.
const firstLook = 2 * time.Second

// untilRefused returns true once the leaf has shown a refusal in two looks, one after the other, and false when ctx
// ends. A first one may pass: Kubernetes refuses a pod whose ServiceAccount comes a little later than the Deployment.
// No event of the cache tells of a refusal, because it is known to Liqo's log and to objects that are not cached.
func (e *End) untilRefused(ctx context.Context) bool {
	before := false
	for pause := firstLook; ; pause *= 2 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
		refuses := e.Subject().Refuses(ctx)
		if refuses && before {
			return true
		}
		before = refuses
	}
}

// RemoveGateways deletes the leaf's gateway and its PublicKey. It returns once everything that Liqo created for the
// gateway is gone, too, and then the rules of what may cross. Until then a gateway of the same name would inherit the
// keys and the Service. It also removes Liqo's labels from the Secrets that the user set: the gateway's, and the given
// ones.
func (e *End) RemoveGateways(ctx context.Context, userSecrets ...liqo.KeySecret) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	if err := e.deleteAll(ctx, ownGateways(objects, e.Owner)); err != nil {
		return err
	}
	dependents, rules := dependentsIn(objects, e.Owner), objects.Firewall
	if objects.Gateway == nil {
		if dependents, rules, err = e.orphans(ctx); err != nil {
			return err
		}
	}
	if err := e.untilDependentsGone(ctx, dependents); err != nil {
		return err
	}
	if err := e.removeFirewall(ctx, rules); err != nil {
		return err
	}
	for _, one := range dependents {
		userSecrets = append(userSecrets, one.userSecret)
		if err := e.removeDerived(ctx, one.template); err != nil {
			return err
		}
	}
	for _, secret := range userSecrets {
		if err := e.unlabelKeySecret(ctx, secret); err != nil {
			return err
		}
	}
	return e.until(ctx, "the gateway to be gone", func(left liqo.Objects) bool {
		return len(ownGateways(left, e.Owner)) == 0 && (left.Connection == nil || left.Gateway != nil)
	},
		&networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{}, &networkingv1beta1.Connection{})
}

// ownGateways returns the gateways that the owner may remove, and their PublicKeys.
func ownGateways(o liqo.Objects, self owner.Owner) []client.Object {
	return slices.DeleteFunc(owned(o, self), func(object client.Object) bool {
		return isConfiguration(object) || isFirewall(object)
	})
}
