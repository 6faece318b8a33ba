package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// This file has the credentials of a leaf that its centre keeps: Liqo in the centre has an Identity for every cluster
// whose resources the centre consumes, and a Secret with a kubeconfig for it.

// fromCentre returns the credentials of a leaf with the kubeconfig that its centre has for it. It reads the
// kubeconfig each time, because Liqo renews it.
func (r *Registry) fromCentre(
	ctx context.Context, name string, credentials access.Credentials,
) (access.Credentials, error) {
	from := credentials.From
	if r.config.Clusters[from].From != "" {
		return access.Credentials{}, Found(trouble.Problem{
			ID: trouble.NoEntry, Leaf: name, Summary: "credentials can't be used",
			Advice: "Give that cluster credentials of its own.",
			Err:    fmt.Errorf("`credentials_from` is %q, whose credentials come from another cluster, too", from),
		})
	}
	centre, err := r.Leaf(ctx, from)
	if err != nil {
		return access.Credentials{}, withoutCentre(name, from, err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.patience.answer)
	defer cancel()
	given, err := centre.identity(ctx, expectedID(credentials, name))
	if err == nil {
		credentials.Kubeconfig, err = given.kubeconfig(credentials)
	}
	if err != nil {
		explained := Found(trouble.Problem{
			ID: "identity-unreadable", Leaf: name, Summary: fmt.Sprintf("%q has no credentials for it", from), Err: err,
		})
		if missing, ok := errors.AsType[*noIdentityError](err); ok {
			explained.ID, explained.Advice, explained.lost = missing.id, missing.advice, missing.unpeered
		}
		return access.Credentials{}, explained
	}
	return credentials, nil
}

// unknownCentreError is an [UnknownNameError] about a centre. It is another type, because the leaf's own name is known.
type unknownCentreError struct{ *UnknownNameError }

// withoutCentre returns the error of a leaf whose centre can't be used, for this reason.
func withoutCentre(name, centre string, err error) *Error {
	if unknown, ok := errors.AsType[*UnknownNameError](err); ok {
		explained := Found(trouble.Problem{
			ID: trouble.NoEntry, Leaf: name, Err: &unknownCentreError{unknown},
			Summary: fmt.Sprintf("its credentials come from %q, which is no known name", centre),
			Advice: "Set `credentials_from` of this leaf to the name of its central cluster, or add that one to `clusters` of " +
				"the provider block.",
		})
		explained.lost = true
		return explained
	}
	return Found(trouble.Problem{
		ID: "central-cluster-unusable", Leaf: name, Err: err,
		Summary: fmt.Sprintf("its credentials come from %q, which can't be used", centre),
	})
}

// expectedID returns the cluster ID that the user expects: by default, and only if its credentials come from a centre,
// it is the leaf's name.
func expectedID(credentials access.Credentials, name string) liqov1beta1.ClusterID {
	return liqov1beta1.ClusterID(cmp.Or(credentials.ClusterID, name))
}

// checkIdentity returns an error if a leaf has another ID than the one that its credentials are for: that of
// `cluster_id`, or the one by which its centre knows it. This can happen with a `host` that overrides the centre's.
func (l *Leaf) checkIdentity(credentials access.Credentials) error {
	id := expectedID(credentials, l.Name)
	var err error
	switch {
	case l.ID == id:
	case credentials.From != "":
		err = fmt.Errorf("it has the cluster ID %q, and leaf %q has credentials for %q", l.ID, credentials.From, id)
	case credentials.ClusterID != "":
		err = fmt.Errorf("it has the cluster ID %q, and this entry of `clusters` is for %q", l.ID, id)
	}
	if err == nil {
		return nil
	}
	return Found(trouble.Problem{
		ID: "cluster-id-differs", Leaf: l.Name, Summary: "another cluster answers", Err: err,
		Advice: "Check `host` and `cluster_id` of this entry of `clusters`.",
	})
}

// centreGuide is where users find the permissions that a leaf must give to the user of its centre.
const centreGuide = "https://registry.terraform.io/providers/leafmesh/liqo/latest/docs/guides/permissions" +
	"#credentials-from-the-central-cluster"

// centreAdvice returns what to do about an answer of a leaf whose credentials come from a centre.
func (l *Leaf) centreAdvice(err error) string {
	switch {
	case l.credentialsFrom == "":
		return ""
	case MissingPermission(err):
		return fmt.Sprintf("\n\nThe credentials of this leaf come from %q, and are those of the user that Liqo made for it. "+
			"The guide \"Permissions\" has a role binding that gives this user all permissions that the provider "+
			"needs: %s", l.credentialsFrom, centreGuide)
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf(" They come from %q, where Liqo keeps and renews them.", l.credentialsFrom)
	default:
		return ""
	}
}
