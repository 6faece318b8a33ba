package cluster_test

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// eventsOf are the events of a cache, which a test sends by calling what it is given.
type eventsOf chan func(client.Object)

// Subscribe implements [cluster.Events].
func (e eventsOf) Subscribe(_ context.Context, changed func(client.Object), _ ...client.Object) (func(), error) {
	e <- changed
	return func() {}, nil
}

// The API server has the object. It is deleted before the cache has seen it.
func TestAWriteDoesNotWaitForAnObjectThatSomebodyHasDeletedMeanwhile(t *testing.T) {
	written := clustertest.Configuration("milan")
	written.UID = "the-one"
	leaf, empty, events := clustertest.Leaf(t, "rome", written), clustertest.Leaf(t, "rome"), make(eventsOf)
	leaf.Clients().Cached, leaf.Events = empty.Clients().Cached, events
	ended := make(chan error, 1)
	go func() {
		ended <- leaf.Edit(t.Context(), written, func(o client.Object) { o.SetAnnotations(map[string]string{"team": "net"}) })
	}()
	changed := <-events
	another := written.DeepCopy()
	another.Name, another.UID = "another", "another"
	changed(another)
	select {
	case err := <-ended:
		t.Fatalf("it ended with a change of another object: %v", err)
	default:
	}
	changed(written.DeepCopy())
	must(t, <-ended)
}
