package end

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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

// dependentsOf returns the dependents of a gateway with these fields.
func dependentsOf(gateway client.Object, fields gatewayFields) dependents {
	return dependents{liqo.MadeForGateway(gateway), referred(fields.technology), fields.keysByLiqo(), fields.userSecret}
}

// dependentsIn returns those of the gateways that the owner may remove.
func dependentsIn(o liqo.Objects, self owner.Owner) []dependents {
	var all []dependents
	if o.GatewayServer != nil && self.MayRemove(o.GatewayServer) {
		all = append(all, dependentsOf(o.GatewayServer, fieldsOfGateway(o.GatewayServer)))
	}
	if o.GatewayClient != nil && self.MayRemove(o.GatewayClient) {
		all = append(all, dependentsOf(o.GatewayClient, fieldsOfGateway(o.GatewayClient)))
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
	add := func(kind string, left client.Object, userSecret corev1.LocalObjectReference, keys *corev1.ObjectReference) {
		all = append(all, dependentsOf(left, gatewayFields{
			technology: &corev1.ObjectReference{APIVersion: networkingv1beta1.GroupVersion.String(), Kind: kind,
				Namespace: left.GetNamespace(), Name: left.GetName()},
			userSecret: userSecretOf(left, userSecret), keys: keys,
		}))
	}
	for i := range servers.Items {
		left := &servers.Items[i]
		add(networkingv1beta1.WgGatewayServerKind, left, left.Spec.SecretRef, left.Status.SecretRef)
	}
	for i := range clients.Items {
		left := &clients.Items[i]
		add(networkingv1beta1.WgGatewayClientKind, left, left.Spec.SecretRef, left.Status.SecretRef)
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
