package cluster_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// eventsBy are the events of a cache, which a test sends.
type eventsBy chan client.Object

// Subscribe implements [cluster.Events].
func (e eventsBy) Subscribe(
	ctx context.Context, changed func(client.Object), _ ...client.Object,
) (unsubscribe func(), err error) {
	go func() {
		for {
			select {
			case object := <-e:
				changed(object)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {}, nil
}

// The API server has the object. It is deleted before the cache has seen it.
func TestAWriteDoesNotWaitForAnObjectThatSomebodyHasDeletedMeanwhile(t *testing.T) {
	written := clustertest.Configuration("milan")
	written.UID = "the-one"
	leaf, empty, events := clustertest.Leaf(t, "rome", written), clustertest.Leaf(t, "rome"), make(eventsBy)
	leaf.Clients().Cached, leaf.Events = empty.Clients().Cached, events
	ended := make(chan error, 1)
	go func() {
		ended <- leaf.Edit(t.Context(), written, func(o client.Object) { o.SetAnnotations(map[string]string{"team": "net"}) })
	}()

	another := written.DeepCopy()
	another.Name, another.UID = "another", types.UID("another")
	events <- another
	select {
	case err := <-ended:
		t.Fatalf("it ended with a change of another object: %v", err)
	default:
	}
	deleted := written.DeepCopy()
	events <- deleted
	must(t, <-ended)
}

var _ cluster.Events = eventsBy(nil)
