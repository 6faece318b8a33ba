package cluster

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pageSize is the number of objects that one answer to a list has at most, as for kubectl.
const pageSize = 500

// paged is a client whose lists come in pages. A list that changes so fast that its pages expire is an error, as it is
// for a list that can't be read for another reason.
type paged struct{ client.WithWatch }

// List implements [client.Reader].
func (p paged) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	var items []runtime.Object
	for next := ""; ; {
		page := slices.Concat(options, []client.ListOption{client.Limit(pageSize), client.Continue(next)})
		if err := p.WithWatch.List(ctx, list, page...); err != nil {
			return err
		}
		if next = list.GetContinue(); next == "" && items == nil {
			return nil
		}
		more, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		if items = append(items, more...); next == "" {
			return meta.SetList(list, items)
		}
		if err := meta.SetList(list, nil); err != nil {
			return err
		}
	}
}
