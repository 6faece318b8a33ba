package liqo

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// lister keeps the error of the last list. Liqo's getters replace it by one that does not say what is wrong, or find
// something wrong with what they got.
type lister struct {
	client.Client

	failure error
}

// List implements [client.Reader].
func (l *lister) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	l.failure = l.Client.List(ctx, list, options...)
	return l.failure
}

// explain explains an error of a getter: by what the API server has answered, otherwise as the given problem.
func (l *lister) explain(leaf *cluster.Leaf, err error, found trouble.Problem) error {
	if err == nil || l.failure != nil {
		return leaf.Explain(l.failure)
	}
	found.Leaf, found.Err = leaf.Name, err
	return &cluster.Error{Problem: found, Own: true}
}
