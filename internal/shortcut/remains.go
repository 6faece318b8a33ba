package shortcut

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// remains is what Liqo makes for one gateway, and takes away some time after it.
type remains struct {
	name       client.ObjectKey // of the Deployment and of the Service
	technology *made            // the technology's own gateway object; nil before Liqo has made it
	keys       *made            // the Secret that Liqo made; nil before that, or where the user brought one
	brought    client.ObjectKey // the Secret that the user brought; else its name is empty
}

// made is an object of any kind.
type made struct {
	kind schema.GroupVersionKind
	key  client.ObjectKey
}

// remainsOf is what Liqo has made for a gateway. Technology and keys are from its status, brought from its spec.
func remainsOf(gateway client.Object, technology *made, keys *corev1.ObjectReference, brought corev1.LocalObjectReference) remains {
	r := remains{name: cluster.MadeForGateway(gateway), technology: technology, keys: keysByLiqo(keys, brought)}
	if brought.Name != "" {
		r.brought = client.ObjectKey{Namespace: gateway.GetNamespace(), Name: brought.Name}
	}
	return r
}

// keysByLiqo is the Secret that Liqo has made for a gateway's keys; nil before that, or where the user brought one. Keys is from the gateway's status, brought from
// its spec.
func keysByLiqo(keys *corev1.ObjectReference, brought corev1.LocalObjectReference) *made {
	if keys == nil || brought.Name != "" {
		return nil
	}
	return &made{corev1.SchemeGroupVersion.WithKind("Secret"), client.ObjectKey{Namespace: keys.Namespace, Name: keys.Name}}
}

// madeForGateways is what Liqo has made for the gateways that the owner may remove.
func (o objects) madeForGateways(owner Owner) []remains {
	var all []remains
	if o.server != nil && owner.mayRemove(o.server) {
		all = append(all, remainsOf(o.server, referred(o.server.Status.ServerRef), o.server.Status.SecretRef, o.server.Spec.SecretRef))
	}
	if o.client != nil && owner.mayRemove(o.client) {
		all = append(all, remainsOf(o.client, referred(o.client.Status.ClientRef), o.client.Status.SecretRef, o.client.Spec.SecretRef))
	}
	return all
}

// referred is the object of a reference; nil for none.
func referred(reference *corev1.ObjectReference) *made {
	if reference == nil {
		return nil
	}
	return &made{reference.GroupVersionKind(), client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}}
}

// orphans is what Liqo has made for gateways that are not there any more: a removal that was interrupted has left it behind. Only WireGuard's are known.
func (s *side) orphans(ctx context.Context) ([]remains, error) {
	var (
		servers networkingv1beta1.WgGatewayServerList
		clients networkingv1beta1.WgGatewayClientList
		all     []remains
	)
	ofRemote := client.MatchingLabels{consts.RemoteClusterID: string(s.remote.ID)}
	if err := s.leaf.Live.List(ctx, &servers, ofRemote); err != nil {
		return nil, s.leaf.Explain(err)
	}
	if err := s.leaf.Live.List(ctx, &clients, ofRemote); err != nil {
		return nil, s.leaf.Explain(err)
	}
	of := func(kind string, gateway client.Object) *made {
		return &made{networkingv1beta1.GroupVersion.WithKind(kind), client.ObjectKeyFromObject(gateway)}
	}
	for i := range servers.Items {
		one := &servers.Items[i]
		all = append(all, remainsOf(one, of(networkingv1beta1.WgGatewayServerKind, one), one.Status.SecretRef, one.Spec.SecretRef))
	}
	for i := range clients.Items {
		one := &clients.Items[i]
		all = append(all, remainsOf(one, of(networkingv1beta1.WgGatewayClientKind, one), one.Status.SecretRef, one.Spec.SecretRef))
	}
	return all, nil
}

// untilAllGone returns once nothing of it is left but the user's own Secret.
func (s *side) untilAllGone(ctx context.Context, r remains) error {
	all := []*made{{appsv1.SchemeGroupVersion.WithKind("Deployment"), r.name}, {corev1.SchemeGroupVersion.WithKind("Service"), r.name}, r.technology, r.keys}
	for _, one := range all {
		if one == nil {
			continue
		}
		if err := s.untilGone(ctx, one.kind, one.key); err != nil {
			return err
		}
	}
	return nil
}
