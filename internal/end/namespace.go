package end

import (
	"cmp"
	"context"
	"errors"
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

// forgeTenantNamespace is the tenant namespace as Liqo itself makes it.
func (e *End) forgeTenantNamespace() *corev1.Namespace {
	return tenantnamespace.NewManager(nil, e.Leaf.Live.Scheme()).ForgeNamespace(e.Remote.ID, nil)
}

// EnsureNamespace returns the name of the namespace to work in: the one that is asked for, which must exist, or the
// tenant namespace.
func (e *End) EnsureNamespace(ctx context.Context, asked string) (string, error) {
	if asked == "" {
		return e.ensureTenantNamespace(ctx)
	}
	return asked, e.checkOwnNamespace(ctx, asked)
}

// CheckNamespace fails if the leaf can't keep the objects in the namespace that is asked for or, for an empty name, in
// its tenant namespace.
func (e *End) CheckNamespace(ctx context.Context, asked string) error {
	if asked == "" {
		return e.checkTenantName(ctx)
	}
	return e.checkOwnNamespace(ctx, asked)
}

// checkOwnNamespace fails if a namespace that is asked for does not exist, or has a gateway for another cluster.
func (e *End) checkOwnNamespace(ctx context.Context, asked string) error {
	err := e.Leaf.Live.Get(ctx, client.ObjectKey{Name: asked}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		return &explain.Problem{
			Leaf:    e.Leaf.Name,
			Summary: fmt.Sprintf("namespace %s does not exist", asked),
			Detail:  "A namespace that is asked for is not made by the provider, since it would not know when to remove it. Make it first, or leave the choice to Liqo.",
			Err:     err,
		}
	}
	if err != nil {
		return e.Leaf.Explain(err)
	}
	return e.checkAlone(ctx, asked)
}

// checkAlone makes sure that no gateway for another cluster is in a namespace: Liqo finds a gateway's pod by its
// namespace, and gives up if it finds two, which would also break the network of that other gateway. The owner's own is
// one that is about to be replaced, for it has one shortcut.
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
				Detail: fmt.Sprintf("%s there is for cluster %s, and Liqo can't tell two gateways of one namespace apart. Give each shortcut a namespace of its own, "+
					"or leave the choice to Liqo.", e.Leaf.Describe(gateway), remote),
			}
		}
	}
	return nil
}

// ensureTenantNamespace returns the name of the leaf's tenant namespace for the other cluster and makes it where there
// is none. One that is just being deleted is waited for: nothing can be made in it any more.
func (e *End) ensureTenantNamespace(ctx context.Context) (string, error) {
	existing, err := e.TenantNamespace(ctx)
	switch {
	case err != nil:
		return "", err
	case existing == nil:
	case !Leaving(existing):
		return existing.Name, e.takeNamespace(ctx, existing)
	default:
		if err := e.untilGone(ctx, corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(existing)); err != nil {
			return "", err
		}
	}

	namespace := e.forgeTenantNamespace()
	e.Owner.Mark(namespace)
	err = e.Leaf.Live.Create(ctx, namespace, client.FieldOwner(cluster.FieldManager))
	if apierrors.IsAlreadyExists(err) {
		return "", e.tenantNameTaken(err)
	}
	return namespace.Name, e.Leaf.Explain(err)
}

// checkTenantName fails if a namespace that is no tenant namespace has the name of the one that is to be made. Only if
// one has the name, all are asked for.
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
		Detail: fmt.Sprintf("It has the name of the tenant namespace for cluster %s, but not the labels that Liqo gives to one. "+
			"Remove the namespace, or rename what uses it.", e.Remote.ID),
		Err: err,
	}
}

// takeNamespace makes a tenant namespace the owner's that an earlier shortcut of the pair has left. The pair is free,
// so that one is no more.
func (e *End) takeNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	if !managed(namespace) || e.Owner.Marked(namespace) {
		return nil
	}
	return e.Leaf.Mark(ctx, namespace, e.Owner.Mark)
}

// IsTenantNamespace reports whether that namespace is where the leaf keeps the objects if nobody says otherwise: its
// tenant namespace for the other leaf. Only for one of an unusual name the leaf is asked.
func (e *End) IsTenantNamespace(ctx context.Context, name string) (bool, error) {
	if name == e.forgeTenantNamespace().Name {
		return true, nil
	}
	tenant, err := e.TenantNamespace(ctx)
	return tenant != nil && tenant.Name == name, err
}

// TenantNamespace is the leaf's tenant namespace for the other cluster, nil where there is none.
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
		return nil, errors.New("leaf " + e.Leaf.Name + ": more than one tenant namespace for cluster " + string(e.Remote.ID))
	}
}

// BeginRemovingNamespace returns the tenant namespace, nil where there is none. If nobody else needs it, it asks for
// its deletion ahead of everything else: Kubernetes does not touch a namespace in its first five seconds of being
// deleted. By then the rest is gone, in the order that Liqo needs. Given is the Secret that the gateway was given.
func (e *End) BeginRemovingNamespace(ctx context.Context, peering string, given KeySecret) (*corev1.Namespace, error) {
	namespace, err := e.TenantNamespace(ctx)
	if err != nil || namespace == nil || !e.Owner.MayRemove(namespace) {
		return namespace, err
	}
	uses, err := e.uses(ctx, namespace, peering, given)
	if err != nil || len(uses) > 0 {
		return namespace, err
	}
	return namespace, e.delete(ctx, namespace)
}

// RemoveNamespace deletes the tenant namespace, which may be nil, and returns once it is gone, if it is the owner's to
// remove. It stays where it is in use, and while Liqo's record of the other cluster is not gone, which recordGone
// reports. One that stays is made nobody's: a later shortcut of the pair takes it over. The result is what stays at
// this end, and why, once all else is gone that is the owner's.
func (e *End) RemoveNamespace(ctx context.Context, namespace *corev1.Namespace, peering string, recordGone bool, given KeySecret) (string, error) {
	uses, err := e.uses(ctx, namespace, peering, given)
	if err != nil {
		return "", err
	}
	removable := namespace != nil && e.Owner.MayRemove(namespace)
	switch {
	case len(uses) > 0 && removable:
		uses = append(uses, fmt.Sprintf("So Namespace %s stays, too; delete it when nobody needs it any more.", namespace.Name))
		return strings.Join(uses, " "), e.giveUpNamespace(ctx, namespace)
	case len(uses) > 0 || !recordGone || !removable:
		return strings.Join(uses, " "), nil
	}
	if err := e.delete(ctx, namespace); err != nil {
		return "", err
	}
	return "", e.untilGone(ctx, corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(namespace))
}

// uses are sentences on what of somebody else's there is of the network, and what there is in the tenant namespace,
// which may be nil.
func (e *End) uses(ctx context.Context, namespace *corev1.Namespace, peering string, given KeySecret) ([]string, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return nil, err
	}
	var uses []string
	if others := found.others(e.Owner); len(others) > 0 {
		uses = append(uses, e.tellOthers(others), fmt.Sprintf("So does Liqo's record of %q.", e.Remote.Name))
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

// tellOthers is a sentence on objects of somebody else's; empty for none.
func (e *End) tellOthers(objects []client.Object) string {
	if len(objects) == 0 {
		return ""
	}
	return fmt.Sprintf("What somebody else has made stays: %s.", explain.Names(e.Leaf, objects...))
}

// giveUpNamespace makes a namespace nobody's, or whose it was before it was adopted.
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
