package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// noIdentityError means that a centre has no usable Identity for a cluster.
type noIdentityError struct {
	id      trouble.ID // of the guide's entry
	problem string
	advice  string // what to do, sentences

	unpeered bool // the centre has none at all
}

func (e *noIdentityError) Error() string { return e.problem }

// identity returns the credentials that Liqo in this cluster has for a cluster that it is peered with.
func (l *Leaf) identity(ctx context.Context, id liqov1beta1.ClusterID) (givenCredentials, error) {
	if len(validation.IsDNS1123Label(string(id))) > 0 {
		return givenCredentials{}, &noIdentityError{
			id:      trouble.NoEntry,
			problem: fmt.Sprintf("%q is not an ID of a cluster", id), advice: "Set `cluster_id`.",
		}
	}
	identity, err := l.soleIdentity(ctx, id)
	if err != nil {
		return givenCredentials{}, err
	}
	described := describeIdentity(identity) + fmt.Sprintf(" on leaf %q", l.Name)
	if identity.Spec.AuthParams.AwsConfig != nil {
		return givenCredentials{}, &noIdentityError{
			id:      trouble.NoEntry,
			problem: described + " is a user of AWS, for which Liqo keeps no kubeconfig",
			advice:  "Give the cluster credentials of its own, for instance `exec` with `aws eks get-token`.",
		}
	}
	if identity.Status.KubeconfigSecretRef == nil {
		return givenCredentials{}, &noIdentityError{
			id:      "identity-without-kubeconfig",
			problem: described + " has no kubeconfig yet",
			advice:  "Liqo's controller-manager creates it. Check that it runs on that leaf.",
		}
	}
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: identity.Namespace, Name: identity.Status.KubeconfigSecretRef.Name}
	if err := l.Read(ctx, key, &secret); err != nil {
		return givenCredentials{}, err
	}
	source := fmt.Sprintf("Secret %s on leaf %q", key, l.Name)
	given, err := credentialsIn(secret.Data[consts.KubeconfigSecretField], source)
	if err != nil {
		return givenCredentials{}, err
	}
	if expiry := given.expiry(); !expiry.IsZero() && expiry.Before(l.Now()) {
		return givenCredentials{}, &noIdentityError{
			id:      "identity-expired",
			problem: fmt.Sprintf("the certificate of %s expired at %s", described, expiry.Format(time.RFC3339)),
			advice: fmt.Sprintf("Liqo renews it only while leaf %q reaches the cluster, and no longer after its end. Run "+
				"`liqoctl authenticate` again. Check that Liqo's controller-manager and crd-replicator run on both.", l.Name),
		}
	}
	return given, nil
}

// soleIdentity returns the one ControlPlane Identity for a cluster in its tenant namespace. Identities in other
// namespaces do not count, because whoever may create them there is not trusted with this cluster.
func (l *Leaf) soleIdentity(ctx context.Context, id liqov1beta1.ClusterID) (*authv1beta1.Identity, error) {
	var identities authv1beta1.IdentityList
	var tenants corev1.NamespaceList
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return l.List(ctx, &identities) })
	group.Go(func() error {
		return l.List(ctx, &tenants, client.HasLabels{consts.TenantNamespaceLabel},
			client.MatchingLabels{consts.RemoteClusterID: string(id)})
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	isTenant := func(identity *authv1beta1.Identity) bool {
		return slices.ContainsFunc(tenants.Items, func(one corev1.Namespace) bool { return one.Name == identity.Namespace })
	}
	var matching, elsewhere []string // of this cluster
	var sole *authv1beta1.Identity
	var ids []string // of the clusters that have one
	for i := range identities.Items {
		identity := &identities.Items[i]
		if identity.Spec.Type != authv1beta1.ControlPlaneIdentityType {
			continue
		}
		ids = append(ids, string(identity.Spec.ClusterID))
		switch {
		case identity.Spec.ClusterID != id:
		case isTenant(identity):
			sole, matching = identity, append(matching, describeIdentity(identity))
		default:
			elsewhere = append(elsewhere, describeIdentity(identity))
		}
	}
	if len(matching) == 1 {
		return sole, nil
	}
	return nil, l.withoutIdentity(id, matching, elsewhere, ids)
}

// withoutIdentity returns the error for a cluster that does not have exactly one Identity in its tenant namespace. It
// takes the Identities there and in other namespaces, and the IDs of the clusters that have one.
func (l *Leaf) withoutIdentity(id liqov1beta1.ClusterID, matching, elsewhere, ids []string) *noIdentityError {
	switch {
	case len(matching) > 1:
		return &noIdentityError{
			id: "identity-ambiguous",
			problem: fmt.Sprintf("leaf %q has several Identities for the cluster with the ID %q: %s",
				l.Name, id, strings.Join(matching, ", ")),
			advice: "Liqo has one. Find out who made the others, and remove them.",
		}
	case len(elsewhere) > 0:
		return &noIdentityError{
			id: "identity-in-wrong-namespace",
			problem: fmt.Sprintf("leaf %q has no Identity for a cluster with the ID %q in a tenant namespace of that cluster; "+
				"%s does not count", l.Name, id, strings.Join(elsewhere, ", ")),
			advice: fmt.Sprintf("Liqo creates Identities in the namespace with the labels %s and %s=%s.",
				consts.TenantNamespaceLabel, consts.RemoteClusterID, id),
		}
	default:
		slices.Sort(ids)
		return &noIdentityError{
			id: "identity-missing",
			problem: fmt.Sprintf("leaf %q has no Identity for a cluster with the ID %q; it has them for %s",
				l.Name, id, trouble.Quoted(slices.Compact(ids))),
			advice: "Set `cluster_id` if the cluster has another ID, or peer the two clusters: " +
				"Liqo creates an Identity in the cluster that consumes resources.",
			unpeered: true,
		}
	}
}

func describeIdentity(identity *authv1beta1.Identity) string {
	return fmt.Sprintf("Identity %s/%s", identity.Namespace, identity.Name)
}
