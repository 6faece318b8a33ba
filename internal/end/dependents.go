package end

import (
	"cmp"
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
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
	template   *dependent       // the derived template, which this provider removes; nil if there is none
}

// dependent is one such object, of any kind.
type dependent struct {
	kind schema.GroupVersionKind
	key  client.ObjectKey
}

func dependentsOf(gateway *liqo.Gateway) dependents {
	return dependents{
		liqo.MadeForGateway(gateway), referred(gateway.Made), keysByLiqo(gateway.Keys, gateway.Secret.Name),
		gateway.UserSecret(), derivedBy(gateway),
	}
}

// dependentsIn returns those of the gateways that the owner may remove.
func dependentsIn(o liqo.Objects, self owner.Owner) []dependents {
	var all []dependents
	for _, object := range owned(o, self) {
		if gateway := liqo.GatewayOf(object); gateway != nil {
			all = append(all, dependentsOf(gateway))
		}
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

// wireGuardTemplates are the kinds of the templates that this provider derives.
var wireGuardTemplates = [2]string{
	networkingv1beta1.WgGatewayServerTemplateKind, networkingv1beta1.WgGatewayClientTemplateKind,
}

// orphans returns the dependents and the rules of gateways that do not exist. The rules are nil if there are none. An
// interrupted removal has left them behind, or a create that ended before it wrote the gateway. Only the dependents of
// WireGuard are known.
func (e *End) orphans(ctx context.Context) (
	all []dependents, rules *networkingv1beta1.FirewallConfiguration, err error,
) {
	var (
		servers   networkingv1beta1.WgGatewayServerList
		clients   networkingv1beta1.WgGatewayClientList
		templates [2]metav1.PartialObjectMetadataList
		firewalls networkingv1beta1.FirewallConfigurationList
	)
	lists := []client.ObjectList{&servers, &clients}
	for i, kind := range wireGuardTemplates {
		templates[i].SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
		lists = append(lists, &templates[i])
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return e.listRules(groupCtx, &firewalls) })
	for _, list := range lists {
		group.Go(func() error {
			return e.Leaf.List(groupCtx, list, client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for i := range servers.Items {
		left := &servers.Items[i]
		all = append(all, dependentsLeft(networkingv1beta1.WgGatewayServerKind, left, left.Spec.SecretRef,
			left.Status.SecretRef))
	}
	for i := range clients.Items {
		left := &clients.Items[i]
		all = append(all, dependentsLeft(networkingv1beta1.WgGatewayClientKind, left, left.Spec.SecretRef,
			left.Status.SecretRef))
	}
	for i, kind := range wireGuardTemplates {
		for j := range templates[i].Items {
			left := &templates[i].Items[j] // has the name of its gateway
			all = append(all, dependents{name: liqo.MadeForGateway(left), template: dependentOf(kind, left)})
		}
	}
	return all, e.leftRules(firewalls), nil
}

// dependentsLeft returns the dependents of a gateway of which the technology's object is left. That refers to the
// gateway's Secret, and says where Liqo has put the keys.
func dependentsLeft(
	kind string, left client.Object, secret corev1.LocalObjectReference, keys *corev1.ObjectReference,
) dependents {
	return dependents{
		name: liqo.MadeForGateway(left), technology: dependentOf(kind, left), keys: keysByLiqo(keys, secret.Name),
		userSecret: liqo.UserSecret(left, secret.Name),
	}
}

// dependentOf returns an object of a kind of Liqo's.
func dependentOf(kind string, object client.Object) *dependent {
	return &dependent{networkingv1beta1.GroupVersion.WithKind(kind), client.ObjectKeyFromObject(object)}
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
