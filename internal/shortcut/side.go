package shortcut

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// until waits until done is true of what the leaf holds of this network, asking again whenever the cache of one of these kinds has changed. waitedFor
// completes "waited for …" in the error, which holds the leaf's own evidence of what is wrong.
func (s *side) until(ctx context.Context, waitedFor string, done func(objects) bool, kinds ...client.Object) error {
	err := s.leaf.Until(ctx, string(s.remote.ID), func(ctx context.Context) (bool, error) {
		found, err := s.find(ctx)
		return err == nil && done(found), err
	}, kinds...)
	return s.explainWait(ctx, waitedFor, err)
}

// untilGone waits until an object does not exist any more.
func (s *side) untilGone(ctx context.Context, kind schema.GroupVersionKind, key client.ObjectKey) error {
	err := s.leaf.UntilGone(ctx, kind, key)
	name := strings.TrimPrefix(key.String(), "/") // what is in no namespace has only a name
	return s.explainWaitBy(ctx, fmt.Sprintf("%s %s to be deleted", kind.Kind, name), err, func(ctx context.Context) ([]finding, error) {
		return s.remainsFindings(ctx, kind, key)
	})
}

// explainWait adds to the error of a wait what the leaf knows of the reason. A wait that another step's failure has ended needs no reason.
func (s *side) explainWait(ctx context.Context, waitedFor string, err error) error {
	return s.explainWaitBy(ctx, waitedFor, err, s.evidence)
}

// explainWaitBy does the same with a look of its own at the leaf.
func (s *side) explainWaitBy(ctx context.Context, waitedFor string, err error, look func(context.Context) ([]finding, error)) error {
	switch {
	case err == nil, errors.Is(err, steps.ErrAborted):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return s.diagnose(ctx, waitedFor, err, look)
	default:
		return s.leaf.Explain(err)
	}
}

// delete asks for the object's deletion, if it still is the one that was read. It does not wait.
func (s *side) delete(ctx context.Context, object client.Object) error {
	uid := object.GetUID()
	err := s.leaf.Live.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy("Background"))
	return s.leaf.Explain(client.IgnoreNotFound(err))
}
