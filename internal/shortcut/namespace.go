package shortcut

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
func (s *side) forgeTenantNamespace() *corev1.Namespace {
	return tenantnamespace.NewManager(nil, s.leaf.Live.Scheme()).ForgeNamespace(s.remote.ID, nil)
}

// ensureNamespace returns the name of the namespace to work in: the one that is asked for, which must exist, or the tenant namespace.
func (s *side) ensureNamespace(ctx context.Context, asked string) (string, error) {
	if asked == "" {
		return s.ensureTenantNamespace(ctx)
	}
	return asked, s.checkOwnNamespace(ctx, asked)
}

// CheckNamespace fails if the leaf can't keep the objects in the namespace that is asked for or, for an empty name, in its tenant namespace.
func (s *side) CheckNamespace(ctx context.Context, asked string) error {
	if asked == "" {
		return s.checkTenantName(ctx)
	}
	return s.checkOwnNamespace(ctx, asked)
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

// IsTenantNamespace reports whether that namespace is where the leaf keeps the objects if nobody says otherwise: its tenant namespace for the other leaf. Only for one
// of an unusual name the leaf is asked.
func (s *side) IsTenantNamespace(ctx context.Context, name string) (bool, error) {
	if name == s.forgeTenantNamespace().Name {
		return true, nil
	}
	tenant, err := s.tenantNamespace(ctx)
	return tenant != nil && tenant.Name == name, err
}

// tenantNamespace is the leaf's tenant namespace for the other cluster, nil where there is none.
func (s *side) tenantNamespace(ctx context.Context) (*corev1.Namespace, error) {
	var namespaces corev1.NamespaceList
	err := s.leaf.Live.List(ctx, &namespaces, client.HasLabels{consts.TenantNamespaceLabel},
		client.MatchingLabels{consts.RemoteClusterID: string(s.remote.ID)})
	if err != nil {
		return nil, s.leaf.Explain(err)
	}
	switch len(namespaces.Items) {
	case 0:
		return nil, nil //nolint:nilnil // documented
	case 1:
		return &namespaces.Items[0], nil
	default:
		return nil, errors.New("leaf " + s.leaf.Name + ": more than one tenant namespace for cluster " + string(s.remote.ID))
	}
}

// beginRemovingNamespace returns the tenant namespace, nil where there is none. If nobody else needs it, it asks for its deletion ahead of everything else:
// Kubernetes does not touch a namespace in its first five seconds of being deleted. By then the rest is gone, in the order that Liqo needs. Given is the Secret that the
// gateway was given.
func (s *side) beginRemovingNamespace(ctx context.Context, peering string, given KeySecret) (*corev1.Namespace, error) {
	namespace, err := s.tenantNamespace(ctx)
	if err != nil || namespace == nil || !s.owner.mayRemove(namespace) {
		return namespace, err
	}
	uses, err := s.uses(ctx, namespace, peering, given)
	if err != nil || len(uses) > 0 {
		return namespace, err
	}
	return namespace, s.delete(ctx, namespace)
}

// removeNamespace deletes the tenant namespace, which may be nil, and returns once it is gone, if it is the owner's to remove. It stays where it is in use, and while
// Liqo's record of the other cluster is not gone, which recordGone reports. One that stays is made nobody's: a later shortcut of the pair takes it over. The result is
// what stays at this end, and why, once all else is gone that is the owner's.
func (s *side) removeNamespace(ctx context.Context, namespace *corev1.Namespace, peering string, recordGone bool, given KeySecret) (string, error) {
	uses, err := s.uses(ctx, namespace, peering, given)
	if err != nil {
		return "", err
	}
	removable := namespace != nil && s.owner.mayRemove(namespace)
	switch {
	case len(uses) > 0 && removable:
		uses = append(uses, fmt.Sprintf("So Namespace %s stays, too; delete it when nobody needs it any more.", namespace.Name))
		return strings.Join(uses, " "), s.giveUpNamespace(ctx, namespace)
	case len(uses) > 0 || !recordGone || !removable:
		return strings.Join(uses, " "), nil
	}
	if err := s.delete(ctx, namespace); err != nil {
		return "", err
	}
	return "", s.untilGone(ctx, corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(namespace))
}

// uses are sentences on what of somebody else's there is of the network, and what there is in the tenant namespace, which may be nil.
func (s *side) uses(ctx context.Context, namespace *corev1.Namespace, peering string, given KeySecret) ([]string, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	var uses []string
	if others := found.others(s.owner); len(others) > 0 {
		uses = append(uses, s.tellOthers(others), fmt.Sprintf("So does Liqo's record of %q.", s.remote.Name))
	}
	if namespace == nil || !s.owner.mayRemove(namespace) {
		return uses, nil
	}
	secret := client.ObjectKey{Namespace: namespace.Name, Name: given.Name}
	if secret.Name != "" && cmp.Or(given.Namespace, namespace.Name) == namespace.Name {
		lost, err := s.leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Secret"), secret)
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
func (s *side) tellOthers(objects []client.Object) string {
	if len(objects) == 0 {
		return ""
	}
	return fmt.Sprintf("What somebody else has made stays: %s.", explain.Names(s.leaf, objects...))
}

// giveUpNamespace makes a namespace nobody's, or whose it was before it was adopted.
func (s *side) giveUpNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	switch _, adopted := previousOf(namespace); {
	case !s.owner.marked(namespace):
		return nil
	case adopted:
		return s.restore(ctx, namespace)
	default:
		return s.disown(ctx, namespace)
	}
}
