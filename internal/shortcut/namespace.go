package shortcut

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// ensureNamespace returns the name of the namespace to work in: the one that is asked for, which must exist, or the tenant namespace.
func (s *side) ensureNamespace(asked string) func(context.Context) (string, error) {
	if asked == "" {
		return s.ensureTenantNamespace
	}
	return func(ctx context.Context) (string, error) {
		return asked, s.checkOwnNamespace(ctx, asked)
	}
}

// checkOwnNamespace fails if a namespace that is asked for does not exist, or has a gateway for another cluster.
func (s *side) checkOwnNamespace(ctx context.Context, asked string) error {
	err := s.leaf.Live.Get(ctx, client.ObjectKey{Name: asked}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		return &explain.Problem{
			Leaf:    s.leaf.Name,
			Summary: fmt.Sprintf("namespace %s does not exist", asked),
			Detail:  "A namespace that is asked for is not made by the provider, since it would not know when to remove it. Make it first, or leave the choice to Liqo.",
			Err:     err,
		}
	}
	if err != nil {
		return s.leaf.Explain(err)
	}
	return s.checkAlone(ctx, asked)
}

// checkAlone makes sure that no gateway for another cluster is in a namespace: Liqo finds a gateway's pod by its namespace, and gives up if it finds two, which would
// also break the network of that other gateway. The owner's own is one that is about to be replaced, for it has one shortcut.
func (s *side) checkAlone(ctx context.Context, namespace string) error {
	var (
		servers networkingv1beta1.GatewayServerList
		clients networkingv1beta1.GatewayClientList
	)
	if err := s.leaf.Cached.List(ctx, &servers, client.InNamespace(namespace)); err != nil {
		return s.leaf.Explain(err)
	}
	if err := s.leaf.Cached.List(ctx, &clients, client.InNamespace(namespace)); err != nil {
		return s.leaf.Explain(err)
	}
	var gateways []client.Object
	for i := range servers.Items {
		gateways = append(gateways, &servers.Items[i])
	}
	for i := range clients.Items {
		gateways = append(gateways, &clients.Items[i])
	}
	for _, gateway := range gateways {
		if remote := cluster.RemoteID(gateway); remote != string(s.remote.ID) && !s.owner.marked(gateway) {
			return &explain.Problem{
				Leaf:    s.leaf.Name,
				Summary: fmt.Sprintf("namespace %s has a gateway for another cluster", namespace),
				Detail: fmt.Sprintf("%s there is for cluster %s, and Liqo can't tell two gateways of one namespace apart. Give each shortcut a namespace of its own, "+
					"or leave the choice to Liqo.", s.leaf.Describe(gateway), remote),
			}
		}
	}
	return nil
}

// ensureTenantNamespace returns the name of the leaf's tenant namespace for the other cluster and makes it where there is none. One that is just being
// deleted is waited for: nothing can be made in it any more.
func (s *side) ensureTenantNamespace(ctx context.Context) (string, error) {
	existing, err := s.tenantNamespace(ctx)
	switch {
	case err != nil:
		return "", err
	case existing == nil:
	case !leaving(existing):
		return existing.Name, s.takeNamespace(ctx, existing)
	default:
		if err := s.untilGone(ctx, corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(existing)); err != nil {
			return "", err
		}
	}

	namespace := s.forgeTenantNamespace()
	s.owner.mark(namespace)
	err = s.leaf.Live.Create(ctx, namespace, client.FieldOwner(cluster.FieldManager))
	if apierrors.IsAlreadyExists(err) {
		return "", s.tenantNameTaken(err)
	}
	return namespace.Name, s.leaf.Explain(err)
}

// checkTenantName fails if a namespace that is no tenant namespace has the name of the one that is to be made. Only if one has the name, all are asked for.
func (s *side) checkTenantName(ctx context.Context) error {
	var namespace corev1.Namespace
	err := s.leaf.Live.Get(ctx, client.ObjectKeyFromObject(s.forgeTenantNamespace()), &namespace)
	if err != nil {
		return s.leaf.Explain(client.IgnoreNotFound(err))
	}
	tenant, err := s.tenantNamespace(ctx)
	if err != nil || tenant != nil {
		return err
	}
	return s.tenantNameTaken(nil)
}

func (s *side) tenantNameTaken(err error) *explain.Problem {
	return &explain.Problem{
		Leaf:    s.leaf.Name,
		Summary: fmt.Sprintf("namespace %s is taken", s.forgeTenantNamespace().Name),
		Detail: fmt.Sprintf("It has the name of the tenant namespace for cluster %s, but not the labels that Liqo gives to one. "+
			"Remove the namespace, or rename what uses it.", s.remote.ID),
		Err: err,
	}
}

// takeNamespace makes a tenant namespace the owner's that an earlier shortcut of the pair has left. The pair is free, so that one is no more.
func (s *side) takeNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	if !managed(namespace) || s.owner.marked(namespace) {
		return nil
	}
	return s.leaf.Mark(ctx, namespace, s.owner.mark)
}

// ClientByDefaultIn and ServerByDefaultIn report whether that namespace is where the leaf keeps the objects if nobody says otherwise: its tenant namespace for the
// other leaf. Only for one of an unusual name the leaf is asked.
func (s *Shortcut) ClientByDefaultIn(ctx context.Context, namespace string) (bool, error) {
	return s.client.isTenantNamespace(ctx, namespace)
}

// ServerByDefaultIn is described with [Shortcut.ClientByDefaultIn].
func (s *Shortcut) ServerByDefaultIn(ctx context.Context, namespace string) (bool, error) {
	return s.server.isTenantNamespace(ctx, namespace)
}

func (s *side) isTenantNamespace(ctx context.Context, name string) (bool, error) {
	if name == s.forgeTenantNamespace().Name {
		return true, nil
	}
	tenant, err := s.tenantNamespace(ctx)
	return tenant != nil && tenant.Name == name, err
}

// forgeTenantNamespace is the tenant namespace as Liqo itself makes it.
func (s *side) forgeTenantNamespace() *corev1.Namespace {
	return tenantnamespace.NewManager(nil, s.leaf.Live.Scheme()).ForgeNamespace(s.remote.ID, nil)
}
