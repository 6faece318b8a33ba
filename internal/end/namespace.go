package end

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// forgeTenantNamespace returns the tenant namespace as Liqo itself creates it.
func (e *End) forgeTenantNamespace() *corev1.Namespace {
	return tenantnamespace.NewManager(nil, e.Leaf.Scheme()).ForgeNamespace(e.Remote.ID, nil)
}

// AwaitNamespace returns when the objects can have a namespace, and reports whether the tenant namespace has to be
// created. It writes nothing. The name is that of the namespace that the user set; it is empty for the tenant
// namespace. If someone is deleting what has the place of the tenant namespace, it waits until that is gone.
func (e *End) AwaitNamespace(ctx context.Context, name string) (missing bool, err error) {
	existing, err := e.occupant(ctx, name)
	switch {
	case err != nil:
		return false, err
	case name == "" && existing != nil && Leaving(existing):
		return true, e.untilNamespaceGone(ctx, existing)
	default:
		return name == "" && existing == nil, e.checkOccupant(ctx, name, existing)
	}
}

// EnsureNamespace returns the name of the namespace for the objects. This is the namespace that the user set, which
// must exist, or else the tenant namespace.
func (e *End) EnsureNamespace(ctx context.Context, name string) (string, error) {
	if name == "" {
		return e.ensureTenantNamespace(ctx)
	}
	existing, err := e.occupant(ctx, name)
	if err != nil {
		return "", err
	}
	return name, e.checkOwnNamespace(ctx, name, existing)
}

// checkNamespace fails if the objects can't be in the namespace that the user set or, for an empty name, in the leaf's
// tenant namespace. It leaves a namespace that someone is deleting to [End.checkDeletions].
func (e *End) checkNamespace(ctx context.Context, name string) error {
	existing, err := e.occupant(ctx, name)
	if err != nil || existing != nil && Leaving(existing) {
		return err
	}
	return e.checkOccupant(ctx, name, existing)
}

// checkOccupant fails if the objects can't be in the namespace that [End.occupant] has found for this name. A missing
// one is nil.
func (e *End) checkOccupant(ctx context.Context, name string, existing *corev1.Namespace) error {
	if err := e.checkNames(name, existing); err != nil {
		return err
	}
	switch {
	case name != "":
		return e.checkOwnNamespace(ctx, name, existing)
	case existing != nil && !e.isTenant(existing):
		return e.tenantNameTaken()
	default:
		return nil
	}
}

// checkNames fails if the other cluster's ID is too long for what has it in its name: the tenant namespace, which does
// not exist yet, or the gateway's Service.
func (e *End) checkNames(name string, existing *corev1.Namespace) error {
	const most = validation.DNS1123LabelMaxLength
	kind, made := "Service", gatewayforge.GatewayResourceName(string(e.Remote.ID))
	advice := "Install Liqo on that cluster with a shorter ID."
	if name == "" && existing == nil && len(made) <= most {
		kind, made = "Namespace", e.forgeTenantNamespace().Name
		advice = "Create a namespace for this pair with a shorter name, and set it as `client_namespace`, " +
			"`server_namespace` or `namespace`."
	}
	if len(made) <= most {
		return nil
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("the ID of cluster %q is too long", e.Remote.ID),
		Evidence: []string{fmt.Sprintf("It has %d characters. %s %s would have %d, and Kubernetes allows %d.",
			len(e.Remote.ID), kind, made, len(made), most)},
		Advice: advice,
	}
}

// occupant returns the namespace with this name. For an empty name, it is the tenant namespace or, if there is none,
// the namespace that has its name. It is nil if there is no such namespace.
func (e *End) occupant(ctx context.Context, name string) (*corev1.Namespace, error) {
	if name != "" {
		return e.namespaceNamed(ctx, name)
	}
	var (
		named    *corev1.Namespace
		namedErr error
		group    sync.WaitGroup
	)
	group.Go(func() { named, namedErr = e.namespaceNamed(ctx, e.forgeTenantNamespace().Name) })
	tenant, err := e.TenantNamespace(ctx)
	group.Wait()
	if err != nil || tenant != nil {
		return tenant, err
	}
	return named, namedErr
}

// namespaceNamed returns a namespace of the leaf, or nil if there is none with this name.
func (e *End) namespaceNamed(ctx context.Context, name string) (*corev1.Namespace, error) {
	var namespace corev1.Namespace
	if exists, err := e.Leaf.Get(ctx, client.ObjectKey{Name: name}, &namespace); !exists {
		return nil, err
	}
	return &namespace, nil
}

// isTenant reports whether a namespace has the labels of the tenant namespace for the other cluster.
func (e *End) isTenant(namespace *corev1.Namespace) bool {
	_, tenant := namespace.Labels[consts.TenantNamespaceLabel]
	return tenant && cluster.RemoteID(namespace) == string(e.Remote.ID)
}

// checkOwnNamespace fails if the objects can't be in a namespace that the user set: if it does not exist, if someone is
// deleting it, or if it has a gateway for another cluster. A missing one is nil.
func (e *End) checkOwnNamespace(ctx context.Context, name string, existing *corev1.Namespace) error {
	switch {
	case existing == nil:
		return &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name,
			Summary: fmt.Sprintf("namespace %s does not exist", name),
			Advice: "The provider does not create a namespace that you set, because it would not know when to delete it. " +
				"Create the namespace first, or leave the choice to Liqo.",
			Err: errMissing,
		}
	case Leaving(existing):
		return e.ownNamespaceLeaves(ctx, []client.Object{existing})
	default:
		return e.checkAlone(ctx, name)
	}
}

// checkAlone fails if a namespace has a gateway for another cluster. Liqo finds a gateway's pod by its namespace and
// gives up if it finds two. This would also break the network of the other gateway. A gateway of the owner for another
// cluster is no conflict: an owner has one shortcut, so that gateway is about to be replaced.
func (e *End) checkAlone(ctx context.Context, namespace string) error {
	gateways, err := liqo.GatewaysOf(ctx, e.Leaf, client.InNamespace(namespace))
	for _, gateway := range gateways {
		if remote := cluster.RemoteID(gateway); remote != string(e.Remote.ID) && !e.Owner.Marked(gateway) {
			return &trouble.Problem{
				ID: trouble.NoEntry, Leaf: e.Leaf.Name,
				Summary: fmt.Sprintf("namespace %s has a gateway for another cluster", namespace),
				Advice: fmt.Sprintf("%s in it is for cluster %s. Liqo can't distinguish two gateways in one namespace. "+
					"Give each shortcut a namespace of its own, or leave the choice to Liqo.",
					e.Leaf.Describe(gateway.Object), remote),
			}
		}
	}
	return err
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

// useTenantNamespace returns the name of a tenant namespace that exists. If someone is deleting what has its place, it
// first waits until that is gone and creates another one, because nothing can be created in it.
func (e *End) useTenantNamespace(ctx context.Context, existing *corev1.Namespace) (string, error) {
	switch {
	case Leaving(existing):
		if err := e.untilNamespaceGone(ctx, existing); err != nil {
			return "", err
		}
		return e.CreateTenantNamespace(ctx)
	case !e.isTenant(existing):
		return "", e.tenantNameTaken()
	default:
		return existing.Name, e.takeNamespace(ctx, existing)
	}
}

// CreateTenantNamespace creates the leaf's tenant namespace for the other cluster, and returns its name. It does not
// look whether there is one. It uses one that was made meanwhile, perhaps by a create of its own whose answer was lost.
func (e *End) CreateTenantNamespace(ctx context.Context) (string, error) {
	namespace := e.forgeTenantNamespace()
	e.Owner.Mark(namespace)
	err := e.Leaf.Persist(ctx, func() error { return e.Leaf.Create(ctx, namespace.DeepCopy()) })
	if !apierrors.IsAlreadyExists(err) {
		return namespace.Name, err
	}
	made, lookErr := e.occupant(ctx, "")
	if lookErr != nil || made == nil {
		return "", cmp.Or(lookErr, err)
	}
	return e.useTenantNamespace(ctx, made)
}

func (e *End) tenantNameTaken() *trouble.Problem {
	return &trouble.Problem{
		ID: "namespace-name-taken", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("namespace %s is taken", e.forgeTenantNamespace().Name),
		Advice: fmt.Sprintf("It has the name of the tenant namespace for cluster %s, but not Liqo's labels. "+
			"Delete the namespace, or move its content to a namespace with another name.", e.Remote.ID),
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
	err := e.Leaf.List(ctx, &namespaces, client.HasLabels{consts.TenantNamespaceLabel},
		client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)})
	if err != nil {
		return nil, err
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
			trouble.Enumerate(names), consts.TenantNamespaceLabel),
	}
}
