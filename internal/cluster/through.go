package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This file has the way to a leaf through its centre. Liqo in the centre keeps an Identity for every cluster whose
// resources the centre consumes. It contains a kubeconfig.

// throughCentre returns the credentials of a leaf with the kubeconfig that its centre has for it. It reads the
// kubeconfig each time, because Liqo renews it.
func (r *Registry) throughCentre(ctx context.Context, name string, credentials Credentials) (Credentials, error) {
	through := credentials.Through
	if r.config.Clusters[through].Through != "" {
		return Credentials{}, &Error{
			Leaf: name, Summary: "credentials can't be used", Hint: "Give that cluster credentials of its own.",
			Err: fmt.Errorf("`through` is %q, which itself is reached through another cluster", through),
		}
	}
	centre, err := r.Leaf(ctx, through)
	if err != nil {
		return Credentials{}, &Error{
			Leaf: name, Summary: fmt.Sprintf("it is reached through %q, which can't be used", through), Err: err,
			unreachable: Unreachable(err),
		}
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeToAnswer)
	defer cancel()
	if credentials.Kubeconfig, err = centre.identity(ctx, credentials.id(name)); err != nil {
		explained := &Error{
			Leaf: name, Summary: fmt.Sprintf("%q has no credentials for it", through), Err: err, unreachable: Unreachable(err),
		}
		if missing, ok := errors.AsType[*noIdentityError](err); ok {
			explained.Hint = missing.hint
		}
		return Credentials{}, explained
	}
	return credentials, nil
}

// id returns the cluster ID of a leaf that is reached through a centre.
func (c Credentials) id(name string) liqov1beta1.ClusterID {
	if c.ClusterID != "" {
		return liqov1beta1.ClusterID(c.ClusterID)
	}
	return liqov1beta1.ClusterID(name)
}

// checkIdentity returns an error if a leaf that is reached through a centre is another cluster than the one that the
// centre knows by this ID. This can happen with a `host` that overrides the centre's.
func (l *Leaf) checkIdentity(credentials Credentials) error {
	if id := credentials.id(l.Name); credentials.Through != "" && l.ID != id {
		return &Error{
			Leaf: l.Name, Summary: "another cluster answers", Hint: "Check `host` and `cluster_id` of this entry of `clusters`.",
			Err: fmt.Errorf("it has the cluster ID %q, and leaf %q has credentials for %q", l.ID, credentials.Through, id),
		}
	}
	return nil
}

// throughHint returns what to do about an answer of a leaf that is reached through a centre.
func (l *Leaf) throughHint(err error) string {
	switch {
	case l.through == "":
		return ""
	case MissingPermission(err):
		return fmt.Sprintf("\n\nThis leaf is reached through %q, with the user that Liqo made for it. "+
			"examples/rbac/centre.yaml gives this user all permissions that the provider needs.", l.through)
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf(" This leaf is reached through %q, where Liqo keeps and renews them.", l.through)
	default:
		return ""
	}
}

// noIdentityError means that a centre has no usable Identity for a cluster.
type noIdentityError struct {
	problem string
	hint    string // what to do, sentences

	unpeered bool // the centre has none at all
}

func (e *noIdentityError) Error() string { return e.problem }

// identity returns the kubeconfig that Liqo in this cluster has for a cluster that it is peered with.
func (l *Leaf) identity(ctx context.Context, id liqov1beta1.ClusterID) (Kubeconfig, error) {
	var identities authv1beta1.IdentityList
	if err := l.Live.List(ctx, &identities); err != nil {
		return Kubeconfig{}, l.Explain(err)
	}
	var ids []string // of the clusters that have one
	var found *authv1beta1.Identity
	for i := range identities.Items {
		identity := &identities.Items[i]
		if identity.Spec.Type != authv1beta1.ControlPlaneIdentityType {
			continue
		}
		ids = append(ids, string(identity.Spec.ClusterID))
		if identity.Spec.ClusterID == id {
			found = identity
		}
	}
	slices.Sort(ids)
	if found == nil {
		return Kubeconfig{}, &noIdentityError{
			problem: fmt.Sprintf("leaf %q has no Identity for a cluster with the ID %q; it has them for %s",
				l.Name, id, quoteList(ids)),
			hint: "Set `cluster_id` if the cluster has another ID, or peer the two clusters: " +
				"Liqo creates an Identity in the cluster that consumes resources.",
			unpeered: true,
		}
	}
	return l.kubeconfigOf(ctx, found)
}

// kubeconfigOf returns the kubeconfig of an Identity.
func (l *Leaf) kubeconfigOf(ctx context.Context, identity *authv1beta1.Identity) (Kubeconfig, error) {
	described := fmt.Sprintf("Identity %s/%s on leaf %q", identity.Namespace, identity.Name, l.Name)
	if identity.Spec.AuthParams.AwsConfig != nil {
		return Kubeconfig{}, &noIdentityError{
			problem: described + " is a user of AWS, for which Liqo keeps no kubeconfig",
			hint:    "Give the cluster credentials of its own, for instance `exec` with `aws eks get-token`.",
		}
	}
	if identity.Status.KubeconfigSecretRef == nil {
		return Kubeconfig{}, &noIdentityError{
			problem: described + " has no kubeconfig yet",
			hint:    "Liqo's controller-manager creates it. Check that it runs on that leaf.",
		}
	}
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: identity.Namespace, Name: identity.Status.KubeconfigSecretRef.Name}
	if err := l.Live.Get(ctx, key, &secret); err != nil {
		return Kubeconfig{}, l.Explain(err)
	}
	kubeconfig := Kubeconfig{
		Content: string(secret.Data[consts.KubeconfigSecretField]), Description: "the kubeconfig of " + described,
	}
	if expiry := kubeconfig.expiry(); !expiry.IsZero() && expiry.Before(l.Now()) {
		return Kubeconfig{}, &noIdentityError{
			problem: fmt.Sprintf("the certificate of %s expired at %s", described, expiry.Format(time.RFC3339)),
			hint: "Liqo renews it before, while the two clusters reach each other. " +
				"Check that its controller-manager and crd-replicator run on both.",
		}
	}
	return kubeconfig, nil
}

// expiry returns when the first client certificate of the kubeconfig's content expires, or the zero time if it has
// none that can be read.
func (k Kubeconfig) expiry() time.Time {
	config, err := clientcmd.Load([]byte(k.Content))
	if err != nil {
		return time.Time{}
	}
	var first time.Time
	for _, user := range config.AuthInfos {
		certificates, err := cert.ParseCertsPEM(user.ClientCertificateData)
		if err != nil || len(certificates) == 0 {
			continue
		}
		if until := certificates[0].NotAfter; first.IsZero() || until.Before(first) {
			first = until
		}
	}
	return first
}
