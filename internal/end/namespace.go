package end

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// forgeTenantNamespace returns the tenant namespace as Liqo itself creates it.
func (e *End) forgeTenantNamespace() *corev1.Namespace {
	return tenantnamespace.NewManager(nil, e.Leaf.Live.Scheme()).ForgeNamespace(e.Remote.ID, nil)
}

// EnsureNamespace returns the name of the namespace for the objects. This is the namespace that the
// user set, which must exist, or else the tenant namespace.
func (e *End) EnsureNamespace(ctx context.Context, asked string) (string, error) {
	if asked == "" {
		return e.ensureTenantNamespace(ctx)
	}
	return asked, e.checkOwnNamespace(ctx, asked)
}

// CheckNamespace fails if the objects can't be in the namespace that the user set or, for an empty
// name, in the leaf's tenant namespace.
func (e *End) CheckNamespace(ctx context.Context, asked string) error {
	if asked == "" {
		return e.checkTenantName(ctx)
	}
	return e.checkOwnNamespace(ctx, asked)
}

// checkOwnNamespace fails if a namespace that the user set does not exist or has a gateway for
// another cluster.
func (e *End) checkOwnNamespace(ctx context.Context, asked string) error {
	err := e.Leaf.Live.Get(ctx, client.ObjectKey{Name: asked}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		return &explain.Problem{
			Leaf:    e.Leaf.Name,
			Summary: fmt.Sprintf("namespace %s does not exist", asked),
			Detail: "The provider does not create a namespace that you set, because it would not know when to delete it. " +
				"Create the namespace first, or leave the choice to Liqo.",
			Err: err,
		}
	}
	if err != nil {
		return e.Leaf.Explain(err)
	}
	return e.checkAlone(ctx, asked)
}

// checkAlone fails if a namespace has a gateway for another cluster. Liqo finds a gateway's pod by
// its namespace and gives up if it finds two. This would also break the network of the other gateway.
// A gateway of the owner for another cluster is no conflict: an owner has one shortcut, so that
// gateway is about to be replaced.
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
			return &explain.Problem{
				Leaf:    e.Leaf.Name,
				Summary: fmt.Sprintf("namespace %s has a gateway for another cluster", namespace),
				Detail: fmt.Sprintf("%s in it is for cluster %s. Liqo can't distinguish two gateways in one namespace. "+
					"Give each shortcut a namespace of its own, or leave the choice to Liqo.",
					e.Leaf.Describe(gateway), remote),
			}
		}
	}
	return nil
}

// ensureTenantNamespace returns the name of the leaf's tenant namespace for the other cluster. It
// creates the namespace if there is none. If the namespace is marked for deletion, it first waits
// until the namespace is gone, because nothing can be created in it.
func (e *End) ensureTenantNamespace(ctx context.Context) (string, error) {
	existing, err := e.TenantNamespace(ctx)
	switch {
	case err != nil:
		return "", err
	case existing == nil:
	case !Leaving(existing):
		return existing.Name, e.takeNamespace(ctx, existing)
	default:
		kind := corev1.SchemeGroupVersion.WithKind("Namespace")
		if err := e.untilGone(ctx, kind, client.ObjectKeyFromObject(existing)); err != nil {
			return "", err
		}
	}

	return e.createTenantNamespace(ctx)
}

// EnsureMissingNamespace does the same for an end that had no tenant namespace a moment ago. It creates one
// without looking first, and so saves a round trip. If there is one by now, it looks.
func (e *End) EnsureMissingNamespace(ctx context.Context) (string, error) {
	name, err := e.createTenantNamespace(ctx)
	if apierrors.IsAlreadyExists(err) {
		return e.ensureTenantNamespace(ctx)
	}
	return name, err
}

// createTenantNamespace creates the tenant namespace, and returns its name. If something else has that name,
// the error says so, and that it already exists.
func (e *End) createTenantNamespace(ctx context.Context) (string, error) {
	namespace := e.forgeTenantNamespace()
	e.Owner.Mark(namespace)
	err := e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Live.Create(ctx, namespace.DeepCopy(), client.FieldOwner(cluster.FieldManager))
	})
	if !apierrors.IsAlreadyExists(err) {
		return namespace.Name, err
	}
	// A create whose answer was lost has made it.
	if made, lookErr := e.TenantNamespace(ctx); lookErr != nil || made != nil && e.Owner.Marked(made) {
		return namespace.Name, lookErr
	}
	return "", e.tenantNameTaken(err)
}

// checkTenantName fails if an ordinary namespace has the name of the tenant namespace to create. It
// lists the tenant namespaces only if that name exists.
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

func (e *End) tenantNameTaken(err error) *explain.Problem {
	return &explain.Problem{
		Leaf:    e.Leaf.Name,
		Summary: fmt.Sprintf("namespace %s is taken", e.forgeTenantNamespace().Name),
		Detail: fmt.Sprintf("It has the name of the tenant namespace for cluster %s, but not Liqo's labels. "+
			"Delete the namespace, or move its content to a namespace with another name.", e.Remote.ID),
		Err: err,
	}
}

// takeNamespace makes a tenant namespace the owner's if an earlier shortcut of the pair has left it.
// The pair is free, so the earlier shortcut no longer exists.
func (e *End) takeNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	if !managed(namespace) || e.Owner.Marked(namespace) {
		return nil
	}
	return e.Leaf.Edit(ctx, namespace, e.Owner.Mark)
}

// IsTenantNamespace reports whether a namespace is the leaf's tenant namespace for the other leaf,
// which is the default for the objects. It reads the leaf only if the name is not the usual one.
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
		return nil, nil //nolint:nilnil // documented
	case 1:
		return &namespaces.Items[0], nil
	default:
		return nil, fmt.Errorf("leaf %s: more than one tenant namespace for cluster %s", e.Leaf.Name, e.Remote.ID)
	}
}

// BeginRemovingNamespace asks for the deletion of the tenant namespace, which may be nil, if nothing
// else needs it. It comes before everything else: Kubernetes does not empty a namespace during the first
// five seconds of its deletion. By then the other objects are gone, in the order that Liqo needs. Given
// is the user's Secret of the gateway.
func (e *End) BeginRemovingNamespace(
	ctx context.Context, namespace *corev1.Namespace, peering string, given KeySecret,
) error {
	if namespace == nil || !e.Owner.MayRemove(namespace) {
		return nil
	}
	uses, err := e.uses(ctx, namespace, peering, given)
	if err != nil || len(uses) > 0 {
		return err
	}
	return e.delete(ctx, namespace)
}

// RemoveNamespace deletes the tenant namespace, which may be nil, if the owner may remove it. It
// returns once the namespace is gone. The namespace stays if it is in use, and while Liqo's record of
// the other cluster exists, which recordGone reports. A namespace that stays loses its owner, and a
// later shortcut of the pair takes it over. The result is a text about the objects that stay at this
// end, and why, once all other objects of the owner are gone.
func (e *End) RemoveNamespace(
	ctx context.Context, namespace *corev1.Namespace, peering string, recordGone bool, given KeySecret,
) (string, error) {
	uses, err := e.uses(ctx, namespace, peering, given)
	if err != nil {
		return "", err
	}
	removable := namespace != nil && e.Owner.MayRemove(namespace)
	switch {
	case len(uses) > 0 && removable:
		const stays = "Therefore, Namespace %s also stays; delete it when it is no longer needed."
		uses = append(uses, fmt.Sprintf(stays, namespace.Name))
		return strings.Join(uses, " "), e.giveUpNamespace(ctx, namespace)
	case len(uses) > 0 || !recordGone || !removable:
		return strings.Join(uses, " "), nil
	}
	if err := e.delete(ctx, namespace); err != nil {
		return "", err
	}
	return "", e.untilGone(ctx, corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(namespace))
}

// uses returns sentences about the objects of the network that someone else created, and about those
// that need the tenant namespace, which may be nil.
func (e *End) uses(
	ctx context.Context, namespace *corev1.Namespace, peering string, given KeySecret,
) ([]string, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	var uses []string
	if others := found.others(e.Owner); len(others) > 0 {
		uses = append(uses, e.tellOthers(others), fmt.Sprintf("Liqo's record of %q also stays.", e.Remote.Name))
	}
	if namespace == nil || !e.Owner.MayRemove(namespace) {
		return uses, nil
	}
	secret := client.ObjectKey{Namespace: namespace.Name, Name: given.Name}
	if secret.Name != "" && cmp.Or(given.Namespace, namespace.Name) == namespace.Name {
		lost, err := e.Leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Secret"), secret)
		if err != nil {
			return nil, err
		}
		if !lost {
			uses = append(uses, fmt.Sprintf("Your Secret %s stays.", secret))
		}
	}
	if peering != "" {
		uses = append(uses, fmt.Sprintf("There is still %s.", peering))
	}
	return uses, nil
}

// tellOthers returns a sentence about objects that someone else created, or an empty string if there
// are none.
func (e *End) tellOthers(objects []client.Object) string {
	if len(objects) == 0 {
		return ""
	}
	return fmt.Sprintf("Objects that someone else created stay: %s.", explain.Names(e.Leaf, objects...))
}

// giveUpNamespace removes the owner of a namespace, or restores the owner from before the adoption.
func (e *End) giveUpNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	switch _, adopted := previousOf(namespace); {
	case !e.Owner.Marked(namespace):
		return nil
	case adopted:
		return e.restore(ctx, namespace)
	default:
		return e.disown(ctx, namespace)
	}
}
