package liqo

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
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
func (l *lister) explain(leaf *cluster.Leaf, err error, found cluster.Error) error {
	if err == nil || l.failure != nil {
		return leaf.Explain(l.failure)
	}
	found.Leaf, found.Own, found.Err = leaf.Name, true, err
	return &found
}
