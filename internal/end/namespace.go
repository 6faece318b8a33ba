package end

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// forgeTenantNamespace returns the tenant namespace as Liqo itself creates it.
func (e *End) forgeTenantNamespace() *corev1.Namespace {
	return tenantnamespace.NewManager(nil, e.Leaf.Live.Scheme()).ForgeNamespace(e.Remote.ID, nil)
}

// EnsureNamespace returns the name of the namespace for the objects. This is the namespace that the user set, which
// must exist, or else the tenant namespace.
func (e *End) EnsureNamespace(ctx context.Context, name string) (string, error) {
	if name == "" {
		return e.ensureTenantNamespace(ctx)
	}
	return name, e.checkOwnNamespace(ctx, name)
}

// CheckNamespace fails if the objects can't be in the namespace that the user set or, for an empty name, in the leaf's
// tenant namespace.
func (e *End) CheckNamespace(ctx context.Context, name string) error {
	if name == "" {
		return e.checkTenantName(ctx)
	}
	return e.checkOwnNamespace(ctx, name)
}

// checkOwnNamespace fails if a namespace that the user set does not exist or has a gateway for another cluster.
func (e *End) checkOwnNamespace(ctx context.Context, name string) error {
	err := e.Leaf.Live.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		return &trouble.Problem{
			ID: "namespace-missing", Leaf: e.Leaf.Name,
			Summary: fmt.Sprintf("namespace %s does not exist", name),
			Advice: "The provider does not create a namespace that you set, because it would not know when to delete it. " +
				"Create the namespace first, or leave the choice to Liqo.",
			Err: err,
		}
	}
	if err != nil {
		return e.Leaf.Explain(err)
	}
	return e.checkAlone(ctx, name)
}

// checkAlone fails if a namespace has a gateway for another cluster. Liqo finds a gateway's pod by its namespace and
// gives up if it finds two. This would also break the network of the other gateway. A gateway of the owner for another
// cluster is no conflict: an owner has one shortcut, so that gateway is about to be replaced.
func (e *End) checkAlone(ctx context.Context, namespace string) error {
	var (
		servers networkingv1beta1.GatewayServerList
		clients networkingv1beta1.GatewayClientList
	)
	if err := e.Leaf.Cached.List(ctx, &servers, client.InNamespace(namespace)); err != nil {
		return e.Leaf.Explain(err)
	}
	if err := e.Leaf.Cached.List(ctx, &clients, client.InNamespace(namespace)); err != nil {
		return e.Leaf.Explain(err)
	}
	var gateways []client.Object
	for i := range servers.Items {
		gateways = append(gateways, &servers.Items[i])
	}
	for i := range clients.Items {
		gateways = append(gateways, &clients.Items[i])
	}
	for _, gateway := range gateways {
		if remote := cluster.RemoteID(gateway); remote != string(e.Remote.ID) && !e.Owner.Marked(gateway) {
			return &trouble.Problem{
				ID: "namespace-shared", Leaf: e.Leaf.Name,
				Summary: fmt.Sprintf("namespace %s has a gateway for another cluster", namespace),
				Advice: fmt.Sprintf("%s in it is for cluster %s. Liqo can't distinguish two gateways in one namespace. "+
					"Give each shortcut a namespace of its own, or leave the choice to Liqo.",
					e.Leaf.Describe(gateway), remote),
			}
		}
	}
	return nil
}

// ensureTenantNamespace returns the name of the leaf's tenant namespace for the other cluster. It creates the namespace
// if there is none.
func (e *End) ensureTenantNamespace(ctx context.Context) (string, error) {
	existing, err := e.TenantNamespace(ctx)
	switch {
	case err != nil:
		return "", err
	case existing == nil:
		return e.CreateTenantNamespace(ctx)
	default:
		return e.useTenantNamespace(ctx, existing)
	}
}

// useTenantNamespace returns the name of a tenant namespace that exists. If it is marked for deletion, it first waits
// until the namespace is gone and creates another one, because nothing can be created in it.
func (e *End) useTenantNamespace(ctx context.Context, existing *corev1.Namespace) (string, error) {
	if !Leaving(existing) {
		return existing.Name, e.takeNamespace(ctx, existing)
	}
	kind := corev1.SchemeGroupVersion.WithKind("Namespace")
	if err := e.untilGone(ctx, kind, client.ObjectKeyFromObject(existing)); err != nil {
		return "", err
	}
	return e.CreateTenantNamespace(ctx)
}

// CreateTenantNamespace creates the leaf's tenant namespace for the other cluster, and returns its name. It does not
// look whether there is one. It uses one that was made meanwhile, perhaps by a create of its own whose answer was lost.
func (e *End) CreateTenantNamespace(ctx context.Context) (string, error) {
	namespace := e.forgeTenantNamespace()
	e.Owner.Mark(namespace)
	err := e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Live.Create(ctx, namespace.DeepCopy(), client.FieldOwner(cluster.FieldManager))
	})
	if !apierrors.IsAlreadyExists(err) {
		return namespace.Name, err
	}
	made, lookErr := e.TenantNamespace(ctx)
	switch {
	case lookErr != nil:
		return "", lookErr
	case made == nil:
		return "", e.tenantNameTaken(err)
	default:
		return e.useTenantNamespace(ctx, made)
	}
}

// checkTenantName fails if an ordinary namespace has the name of the tenant namespace to create. It lists the tenant
// namespaces only if that name exists.
func (e *End) checkTenantName(ctx context.Context) error {
	var namespace corev1.Namespace
	err := e.Leaf.Live.Get(ctx, client.ObjectKeyFromObject(e.forgeTenantNamespace()), &namespace)
	if err != nil {
		return e.Leaf.Explain(client.IgnoreNotFound(err))
	}
	tenant, err := e.TenantNamespace(ctx)
	if err != nil || tenant != nil {
		return err
	}
	return e.tenantNameTaken(nil)
}

func (e *End) tenantNameTaken(err error) *trouble.Problem {
	return &trouble.Problem{
		ID: "namespace-name-taken", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("namespace %s is taken", e.forgeTenantNamespace().Name),
		Advice: fmt.Sprintf("It has the name of the tenant namespace for cluster %s, but not Liqo's labels. "+
			"Delete the namespace, or move its content to a namespace with another name.", e.Remote.ID),
		Err: err,
	}
}

// takeNamespace makes a tenant namespace the owner's if an earlier shortcut of the pair has left it. The pair is free,
// so the earlier shortcut no longer exists.
func (e *End) takeNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	if !owner.Managed(namespace) || e.Owner.Marked(namespace) {
		return nil
	}
	return e.Leaf.Edit(ctx, namespace, e.Owner.Mark)
}

// IsTenantNamespace reports whether a namespace is the leaf's tenant namespace for the other leaf, which is the default
// for the objects. It reads the leaf only if the name is not the usual one.
func (e *End) IsTenantNamespace(ctx context.Context, name string) (bool, error) {
	if name == e.forgeTenantNamespace().Name {
		return true, nil
	}
	tenant, err := e.TenantNamespace(ctx)
	return tenant != nil && tenant.Name == name, err
}

// TenantNamespace returns the leaf's tenant namespace for the other cluster, or nil.
func (e *End) TenantNamespace(ctx context.Context) (*corev1.Namespace, error) {
	var namespaces corev1.NamespaceList
	err := e.Leaf.Live.List(ctx, &namespaces, client.HasLabels{consts.TenantNamespaceLabel},
		client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)})
	if err != nil {
		return nil, e.Leaf.Explain(err)
	}
	switch len(namespaces.Items) {
	case 0:
		return nil, nil
	case 1:
		return &namespaces.Items[0], nil
	default:
		return nil, e.ambiguousTenant(namespaces.Items)
	}
}

// ambiguousTenant returns the problem of several tenant namespaces for the other cluster. Liqo (1.2.0, GetNamespace)
// fails, too.
func (e *End) ambiguousTenant(namespaces []corev1.Namespace) *trouble.Problem {
	names := make([]string, len(namespaces))
	for i := range namespaces {
		names[i] = namespaces[i].Name
	}
	return &trouble.Problem{
		ID: "tenant-namespace-ambiguous", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("there are several tenant namespaces for cluster %q", e.Remote.ID),
		Advice: fmt.Sprintf("Namespaces %s all have the labels of a tenant namespace for this cluster. Neither the provider "+
			"nor Liqo can tell which one to use. Keep the one that has the objects of the network or of the peering. Remove "+
			"the label `%s` from the others, or delete them if they are empty.",
			explain.Enumerate(names), consts.TenantNamespaceLabel),
	}
}
