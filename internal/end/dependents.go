package end

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

// dependents are the objects that Liqo creates for one gateway, and removes some time after it.
type dependents struct {
	name       client.ObjectKey // of the Deployment and of the Service
	technology *dependent       // the technology's own gateway object; nil before Liqo has created it
	keys       *dependent       // the Secret that Liqo created; nil before that, or if the user set one
	userSecret liqo.KeySecret   // the Secret that the user set; its name is empty if there is none
}

// dependent is one such object, of any kind.
type dependent struct {
	kind schema.GroupVersionKind
	key  client.ObjectKey
}

// dependentsOf returns the dependents of a gateway. Technology and keys come from its status, given from its spec.
func dependentsOf(
	gateway client.Object, technology *dependent, keys *corev1.ObjectReference, userSecret corev1.LocalObjectReference,
) dependents {
	d := dependents{name: liqo.MadeForGateway(gateway), technology: technology, keys: keysByLiqo(keys, userSecret)}
	if userSecret.Name != "" {
		d.userSecret = liqo.KeySecret{Namespace: gateway.GetNamespace(), Name: userSecret.Name}
	}
	return d
}

// keysByLiqo returns the Secret that Liqo has created for a gateway's keys. It returns nil before that, or if the user
// set one. Keys comes from the gateway's status, given from its spec.
func keysByLiqo(keys *corev1.ObjectReference, userSecret corev1.LocalObjectReference) *dependent {
	if keys == nil || userSecret.Name != "" {
		return nil
	}
	key := client.ObjectKey{Namespace: keys.Namespace, Name: keys.Name}
	return &dependent{corev1.SchemeGroupVersion.WithKind("Secret"), key}
}

// dependentsIn returns those of the gateways that the owner may remove.
func dependentsIn(o liqo.Objects, self owner.Owner) []dependents {
	var all []dependents
	if server := o.GatewayServer; server != nil && self.MayRemove(server) {
		technology := referred(server.Status.ServerRef)
		all = append(all, dependentsOf(server, technology, server.Status.SecretRef, server.Spec.SecretRef))
	}
	if dialling := o.GatewayClient; dialling != nil && self.MayRemove(dialling) {
		technology := referred(dialling.Status.ClientRef)
		all = append(all, dependentsOf(dialling, technology, dialling.Status.SecretRef, dialling.Spec.SecretRef))
	}
	return all
}

// referred returns the object of a reference, or nil.
func referred(reference *corev1.ObjectReference) *dependent {
	if reference == nil {
		return nil
	}
	key := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
	return &dependent{reference.GroupVersionKind(), key}
}

// orphans returns the dependents of gateways that no longer exist. An interrupted removal has left them behind. Only
// those of WireGuard are known.
func (e *End) orphans(ctx context.Context) ([]dependents, error) {
	var (
		servers networkingv1beta1.WgGatewayServerList
		clients networkingv1beta1.WgGatewayClientList
		all     []dependents
	)
	for _, list := range []client.ObjectList{&servers, &clients} {
		if err := e.Leaf.Live.List(ctx, list,
			client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)}); err != nil {
			return nil, e.Leaf.Explain(err)
		}
	}
	wireGuard := func(kind string, gateway client.Object) *dependent {
		return &dependent{networkingv1beta1.GroupVersion.WithKind(kind), client.ObjectKeyFromObject(gateway)}
	}
	for i := range servers.Items {
		one := &servers.Items[i]
		technology := wireGuard(networkingv1beta1.WgGatewayServerKind, one)
		all = append(all, dependentsOf(one, technology, one.Status.SecretRef, one.Spec.SecretRef))
	}
	for i := range clients.Items {
		one := &clients.Items[i]
		technology := wireGuard(networkingv1beta1.WgGatewayClientKind, one)
		all = append(all, dependentsOf(one, technology, one.Status.SecretRef, one.Spec.SecretRef))
	}
	return all, nil
}

// untilDependentsGone waits until the dependents are gone, except for the Secrets that the user set.
func (e *End) untilDependentsGone(ctx context.Context, dependents []dependents) error {
	var all []*dependent
	for _, one := range dependents {
		all = append(all, &dependent{appsv1.SchemeGroupVersion.WithKind("Deployment"), one.name},
			&dependent{corev1.SchemeGroupVersion.WithKind("Service"), one.name}, one.technology, one.keys)
	}
	return cmp.Or(parallel.Map(all, func(one *dependent) error {
		if one == nil {
			return nil
		}
		return e.untilGone(ctx, one.kind, one.key)
	})...)
}

// UntilFormerKeysGone waits until Kubernetes has deleted the keys of a gateway that no longer exists, which an
// interrupted destroy has left. Otherwise Liqo would give them to the next gateway just before they go. Namespace is
// the one that the user set, or empty.
func (e *End) UntilFormerKeysGone(ctx context.Context, namespace string) error {
	key := client.ObjectKey{
		Namespace: cmp.Or(namespace, e.forgeTenantNamespace().Name),
		Name:      gatewayforge.GatewayResourceName(string(e.Remote.ID)),
	}
	secret, err := e.readSecret(ctx, key)
	if err != nil || secret == nil {
		return err
	}
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	gateway := objects.Gateway()
	for _, reference := range secret.OwnerReferences {
		if isGateway(reference) && (gateway == nil || gateway.GetUID() != reference.UID) {
			return e.untilGone(ctx, secret.GroupVersionKind(), key)
		}
	}
	return nil
}

func isGateway(reference metav1.OwnerReference) bool {
	return reference.Kind == networkingv1beta1.GatewayServerKind || reference.Kind == networkingv1beta1.GatewayClientKind
}

// keysLost reports whether someone deleted the Secret that Liqo had created for a gateway's keys. Liqo creates another
// one, with other keys, only when it reconciles the gateway again. Until then the other leaf can't get a key, but a
// tunnel that is up stays up. The arguments are those of [keysByLiqo].
func (e *End) keysLost(
	ctx context.Context, keys *corev1.ObjectReference, userSecret corev1.LocalObjectReference,
) (bool, error) {
	secret := keysByLiqo(keys, userSecret)
	if secret == nil {
		return false, nil
	}
	return e.Leaf.Gone(ctx, secret.kind, secret.key)
}
