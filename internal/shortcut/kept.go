package shortcut

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// cleanup is the removal of one leaf's part of a shortcut.
type cleanup struct {
	*side

	keySecret KeySecret // that the gateway was given
}

// removeGateway removes this leaf's gateway, and leaves the user's own Secret as it was.
func (c cleanup) removeGateway(ctx context.Context) error {
	return c.removeGateways(ctx, client.ObjectKey{
		Namespace: cmp.Or(c.keySecret.Namespace, c.forgeTenantNamespace().Name), Name: c.keySecret.Name,
	})
}

// keepConfigurations gives up what a later shortcut shall find. The result is what stays besides, and why.
func (c cleanup) keepConfigurations(ctx context.Context) (string, error) {
	found, err := c.find(ctx)
	if err != nil {
		return "", err
	}
	return c.tellOthers(found.others(c.owner)), c.disownConfigurations(ctx)
}

// startRest starts what removes everything but the gateway. The result is what stays, and why.
func (c cleanup) startRest(r *steps.Run, peering *steps.Step[string], gateways steps.Before, allowed ...steps.Before) *steps.Step[string] {
	on := c.leaf.Name
	namespace := steps.With(r, on, "begin to remove the tenant namespace", peering, c.beginNamespace, allowed...)
	configuration := steps.Act(r, on, "remove the Configuration", c.removeConfigurations, allowed...)
	unused := steps.With2(r, on, "remove the ForeignCluster", namespace, peering, c.removeForeignCluster, gateways, configuration)
	return steps.With3(r, on, "remove the tenant namespace", namespace, peering, unused, c.removeUnused)
}

// removeUnused removes the tenant namespace, which may be nil, unless it or Liqo's record of the other cluster is in use. The result is what stays, and why.
func (c cleanup) removeUnused(ctx context.Context, namespace *corev1.Namespace, peering string, unused bool) (string, error) {
	kept, err := c.keptBy(ctx, namespace, peering)
	if err != nil || kept != "" || !unused {
		return kept, err
	}
	return "", c.removeNamespace(ctx, namespace)
}

// beginNamespace returns the tenant namespace, nil where there is none. If nobody else needs it, it asks for its deletion ahead of everything else:
// Kubernetes does not touch a namespace in its first five seconds of being deleted. By then the rest is gone, in the order that Liqo needs.
func (c cleanup) beginNamespace(ctx context.Context, peering string) (*corev1.Namespace, error) {
	namespace, err := c.tenantNamespace(ctx)
	if err != nil || namespace == nil || !c.owner.mayRemove(namespace) {
		return namespace, err
	}
	uses, err := c.uses(ctx, namespace, peering)
	if err != nil || len(uses) > 0 {
		return namespace, err
	}
	return namespace, c.delete(ctx, namespace)
}

// keptBy says what stays and why, once all that is the owner's is gone but the tenant namespace, which may be nil. That one is made nobody's if it stays: a later
// shortcut of the pair takes it over.
func (c cleanup) keptBy(ctx context.Context, namespace *corev1.Namespace, peering string) (string, error) {
	uses, err := c.uses(ctx, namespace, peering)
	if err != nil || len(uses) == 0 {
		return "", err
	}
	if namespace != nil && c.owner.mayRemove(namespace) {
		uses = append(uses, fmt.Sprintf("So Namespace %s stays, too; delete it when nobody needs it any more.", namespace.Name))
		if err := c.giveUp(ctx, namespace); err != nil {
			return "", err
		}
	}
	return strings.Join(uses, " "), nil
}

// uses are sentences on what of somebody else's there is of the network, and what there is in the tenant namespace, which may be nil.
func (c cleanup) uses(ctx context.Context, namespace *corev1.Namespace, peering string) ([]string, error) {
	found, err := c.find(ctx)
	if err != nil {
		return nil, err
	}
	var uses []string
	if others := found.others(c.owner); len(others) > 0 {
		uses = append(uses, c.tellOthers(others), fmt.Sprintf("So does Liqo's record of %q.", c.remote.Name))
	}
	if namespace == nil || !c.owner.mayRemove(namespace) {
		return uses, nil
	}
	secret := client.ObjectKey{Namespace: namespace.Name, Name: c.keySecret.Name}
	if secret.Name != "" && cmp.Or(c.keySecret.Namespace, namespace.Name) == namespace.Name {
		lost, err := c.leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Secret"), secret)
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
func (c cleanup) tellOthers(objects []client.Object) string {
	if len(objects) == 0 {
		return ""
	}
	return fmt.Sprintf("What somebody else has made stays: %s.", explain.Names(c.leaf, objects...))
}

// giveUp makes a namespace nobody's, or whose it was before it was adopted.
func (c cleanup) giveUp(ctx context.Context, namespace *corev1.Namespace) error {
	switch _, adopted := previousOf(namespace); {
	case !c.owner.marked(namespace):
		return nil
	case adopted:
		return c.restore(ctx, namespace)
	default:
		return c.disown(ctx, namespace)
	}
}

// removeNamespace deletes the tenant namespace if it is the owner's, and returns once it is gone. There may be none.
func (c cleanup) removeNamespace(ctx context.Context, namespace *corev1.Namespace) error {
	if namespace == nil || !c.owner.mayRemove(namespace) {
		return nil
	}
	if err := c.delete(ctx, namespace); err != nil {
		return err
	}
	return c.untilGone(ctx, corev1.SchemeGroupVersion.WithKind("Namespace"), client.ObjectKeyFromObject(namespace))
}
