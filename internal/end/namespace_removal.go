package end

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// BeginRemovingNamespace asks for the deletion of the tenant namespace, which may be nil, if nothing else needs it. It
// comes before everything else: Kubernetes does not empty a namespace during the first five seconds of its deletion. By
// then the other objects are gone, in the order that Liqo needs. The user's Secret is that of the gateway. The result
// is the namespace as it is afterwards.
func (e *End) BeginRemovingNamespace(
	ctx context.Context, namespace *corev1.Namespace, peering *Peering, userSecret liqo.KeySecret,
) (*corev1.Namespace, error) {
	if namespace == nil || !e.Owner.MayRemove(namespace) {
		return namespace, nil
	}
	uses, err := e.uses(ctx, namespace, peering, userSecret)
	if err != nil || !uses.none() {
		return namespace, err
	}
	leaving, err := e.deleteNamespace(ctx, namespace)
	if apierrors.IsConflict(err) {
		return e.TenantNamespace(ctx)
	}
	return leaving, err
}

// Leftovers are what a removal leaves at an end.
type Leftovers struct {
	Kept string // which objects stay and why, in full sentences; empty if none does

	namespace *corev1.Namespace // the tenant namespace if Kubernetes is deleting it; nil otherwise
}

// RemoveNamespace deletes the tenant namespace, which may be nil, if the owner may remove it. It does not wait. A
// namespace that is in use stays and loses its owner, and a later shortcut of the pair takes it over. The namespace
// also stays unless Liqo's record of the other cluster is gone. All other objects of the owner are gone by then.
func (e *End) RemoveNamespace(
	ctx context.Context, namespace *corev1.Namespace, peering *Peering, foreignClusterGone bool, userSecret liqo.KeySecret,
) (Leftovers, error) {
	uses, err := e.uses(ctx, namespace, peering, userSecret)
	if err != nil {
		return Leftovers{}, err
	}
	removable := namespace != nil && e.Owner.MayRemove(namespace)
	switch {
	case !uses.none() && removable:
		const stays = "%s Therefore, Namespace %s also stays; delete it when it is no longer needed."
		return Leftovers{Kept: fmt.Sprintf(stays, e.tell(uses), namespace.Name)}, e.giveUpNamespace(ctx)
	case !uses.none() || !foreignClusterGone || !removable:
		return Leftovers{Kept: e.tell(uses)}, nil
	}
	leaving, err := e.deleteNamespace(ctx, namespace)
	if !apierrors.IsConflict(err) {
		return Leftovers{namespace: leaving}, err
	}
	current, lookErr := e.TenantNamespace(ctx)
	if lookErr != nil || current != nil && current.ResourceVersion == namespace.ResourceVersion {
		return Leftovers{}, cmp.Or(lookErr, err)
	}
	return e.RemoveNamespace(ctx, current, peering, foreignClusterGone, userSecret)
}

// deleteNamespace asks for the deletion of a namespace, and returns it as it is then. The error is a conflict if
// someone has changed the namespace since the read: it may have another owner.
func (e *End) deleteNamespace(ctx context.Context, namespace *corev1.Namespace) (*corev1.Namespace, error) {
	if Leaving(namespace) {
		return namespace, nil
	}
	var conflict error
	err := e.Leaf.Persist(ctx, func() error {
		err := e.Leaf.Delete(ctx, namespace, client.PropagationPolicy(metav1.DeletePropagationBackground),
			client.Preconditions{UID: &namespace.UID, ResourceVersion: &namespace.ResourceVersion})
		if conflict = nil; apierrors.IsConflict(err) {
			conflict = err // the same request would get the same answer
			return nil
		}
		return err
	})
	if err := cmp.Or(err, conflict); err != nil {
		return nil, err
	}
	leaving := namespace.DeepCopy()
	leaving.DeletionTimestamp = new(metav1.Now())
	return leaving, nil
}

// UntilGone returns when the tenant namespace is gone, if Kubernetes is deleting it.
func (e *End) UntilGone(ctx context.Context, leftovers Leftovers) error {
	if leftovers.namespace == nil {
		return nil
	}
	return e.untilNamespaceGone(ctx, leftovers.namespace)
}

// untilNamespaceGone returns when a namespace is gone that someone is deleting. Others may make another one of its name
// at once.
func (e *End) untilNamespaceGone(ctx context.Context, namespace *corev1.Namespace) error {
	key := client.ObjectKeyFromObject(namespace)
	current := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	err := e.Leaf.UntilObject(ctx, current, func(exists bool) bool {
		return !exists || current.UID != namespace.UID
	})
	return explain.Deletion(ctx, e.Leaf, corev1.SchemeGroupVersion.WithKind("Namespace"), key, err)
}

// uses are what still needs the network at an end, or its tenant namespace.
type uses struct {
	others  []client.Object   // of the network, that someone else created
	secret  *client.ObjectKey // the user's, in the tenant namespace; nil if there is none
	peering *Peering          // nil if there is none
}

func (u uses) none() bool { return len(u.others) == 0 && u.secret == nil && u.peering == nil }

// uses finds them. The tenant namespace may be nil. Nothing needs it if the owner may not remove it.
func (e *End) uses(
	ctx context.Context, namespace *corev1.Namespace, peering *Peering, userSecret liqo.KeySecret,
) (uses, error) {
	objects, err := e.Find(ctx)
	found := uses{others: others(objects, e.Owner)}
	if err != nil || namespace == nil || !e.Owner.MayRemove(namespace) {
		return found, err
	}
	found.peering = peering
	secret := client.ObjectKey{Namespace: namespace.Name, Name: userSecret.Name}
	if secret.Name == "" || cmp.Or(userSecret.Namespace, namespace.Name) != namespace.Name {
		return found, nil
	}
	gone, err := e.Leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Secret"), secret)
	if !gone {
		found.secret = &secret
	}
	return found, err
}

// tell returns sentences about what needs the network.
func (e *End) tell(uses uses) string {
	var said []string
	if len(uses.others) > 0 {
		said = append(said, e.tellOthers(uses.others), fmt.Sprintf("Liqo's record of %q also stays.", e.Remote.Name))
	}
	if uses.secret != nil {
		said = append(said, fmt.Sprintf("Your Secret %s stays.", uses.secret))
	}
	if uses.peering != nil {
		said = append(said, fmt.Sprintf("There is still %s.", uses.peering))
	}
	return strings.Join(said, " ")
}

// tellOthers returns a sentence about objects that someone else created, or an empty string if there are none.
func (e *End) tellOthers(objects []client.Object) string {
	if len(objects) == 0 {
		return ""
	}
	return fmt.Sprintf("Objects that another user created stay: %s.", explain.Names(e.Leaf, objects...))
}

// giveUpNamespace removes the owner of the tenant namespace. It looks at the namespace again, because it may have got
// another owner.
func (e *End) giveUpNamespace(ctx context.Context) error {
	namespace, err := e.TenantNamespace(ctx)
	if err != nil || namespace == nil || !e.Owner.Marked(namespace) {
		return err
	}
	return e.disown(ctx, namespace)
}
