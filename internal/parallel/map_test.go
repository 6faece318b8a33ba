package parallel_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

func TestTheResultsHaveTheOrderOfTheItems(t *testing.T) {
	var others sync.WaitGroup
	others.Add(2)
	got := parallel.Map([]string{"first", "second", "third"}, func(item string) string {
		if item == "first" {
			others.Wait() // it ends last, so the others do not wait for it
		} else {
			others.Done()
		}
		return item + " done"
	})
	if expected := []string{"first done", "second done", "third done"}; !slices.Equal(got, expected) {
		t.Errorf("got %q", got)
	}
}
