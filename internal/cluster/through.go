package cluster

import (
	"context"
	"errors"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// This file has the way to a leaf through its centre. Liqo in the centre keeps an Identity for every cluster whose
// resources the centre consumes, and a Secret with a kubeconfig for it.

// throughCentre returns the credentials of a leaf with the kubeconfig that its centre has for it. It reads the
// kubeconfig each time, because Liqo renews it.
func (r *Registry) throughCentre(ctx context.Context, name string, credentials Credentials) (Credentials, error) {
	through := credentials.Through
	if r.config.Clusters[through].Through != "" {
		return Credentials{}, &Error{Own: true, Problem: trouble.Problem{
			ID: "through-chained", Leaf: name, Summary: "credentials can't be used",
			Advice: "Give that cluster credentials of its own.",
			Err:    fmt.Errorf("`through` is %q, which itself is reached through another cluster", through),
		}}
	}
	centre, err := r.Leaf(ctx, through)
	if err != nil {
		return Credentials{}, withoutCentre(name, through, err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeToAnswer)
	defer cancel()
	given, err := centre.identity(ctx, credentials.id(name))
	if err == nil {
		credentials.Kubeconfig, err = given.kubeconfig(credentials)
	}
	if err != nil {
		explained := &Error{Own: true, unreachable: Unreachable(err), Problem: trouble.Problem{
			ID: "identity-unreadable", Leaf: name, Summary: fmt.Sprintf("%q has no credentials for it", through), Err: err,
		}}
		if missing, ok := errors.AsType[*noIdentityError](err); ok {
			explained.ID, explained.Advice = missing.id, missing.advice
		}
		return Credentials{}, explained
	}
	return credentials, nil
}

// unknownCentreError is an [UnknownNameError] about a centre. It is another type, because the leaf's own name is known.
type unknownCentreError struct{ *UnknownNameError }

// withoutCentre returns the error of a leaf whose centre can't be used, for this reason.
func withoutCentre(name, through string, err error) *Error {
	if unknown, ok := errors.AsType[*UnknownNameError](err); ok {
		return &Error{Own: true, Problem: trouble.Problem{
			ID: "central-cluster-unknown", Leaf: name, Err: &unknownCentreError{unknown},
			Summary: fmt.Sprintf("it is reached through %q, which is no known name", through),
			Advice: "Set `through` of this leaf to the name of its central cluster, or add that one to `clusters` of the " +
				"provider block.",
		}}
	}
	return &Error{Own: true, unreachable: Unreachable(err), Problem: trouble.Problem{
		ID: "central-cluster-unusable", Leaf: name, Err: err,
		Summary: fmt.Sprintf("it is reached through %q, which can't be used", through),
	}}
}

// id returns the cluster ID that the user expects: by default, and only through a centre, it is the leaf's name.
func (c Credentials) id(name string) liqov1beta1.ClusterID {
	if c.ClusterID != "" {
		return liqov1beta1.ClusterID(c.ClusterID)
	}
	return liqov1beta1.ClusterID(name)
}

// checkIdentity returns an error if a leaf has another ID than the one that its credentials are for: that of
// `cluster_id`, or the one by which its centre knows it. This can happen with a `host` that overrides the centre's.
func (l *Leaf) checkIdentity(credentials Credentials) error {
	id := credentials.id(l.Name)
	var err error
	switch {
	case l.ID == id:
	case credentials.Through != "":
		err = fmt.Errorf("it has the cluster ID %q, and leaf %q has credentials for %q", l.ID, credentials.Through, id)
	case credentials.ClusterID != "":
		err = fmt.Errorf("it has the cluster ID %q, and this entry of `clusters` is for %q", l.ID, id)
	}
	if err == nil {
		return nil
	}
	return &Error{Own: true, Problem: trouble.Problem{
		ID: "cluster-id-differs", Leaf: l.Name, Summary: "another cluster answers", Err: err,
		Advice: "Check `host` and `cluster_id` of this entry of `clusters`.",
	}}
}

// throughGuide is where users find the permissions that a leaf must give to the user of its centre.
const throughGuide = "https://registry.terraform.io/providers/leafmesh/liqo/latest/docs/guides/least-privilege-rbac" +
	"#through-the-central-cluster"

// throughAdvice returns what to do about an answer of a leaf that is reached through a centre.
func (l *Leaf) throughAdvice(err error) string {
	switch {
	case l.through == "":
		return ""
	case MissingPermission(err):
		return fmt.Sprintf("\n\nThis leaf is reached through %q, with the user that Liqo made for it. "+
			"The guide \"Least-privilege RBAC\" has a role binding that gives this user all permissions that the provider "+
			"needs: %s", l.through, throughGuide)
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf(" This leaf is reached through %q, where Liqo keeps and renews them.", l.through)
	default:
		return ""
	}
}
