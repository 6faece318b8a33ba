package parallel_test

import (
	"errors"
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

func TestEachAnswerHasItsError(t *testing.T) {
	refused := errors.New("refused")
	var values []int
	var errs []error
	for value, err := range parallel.Ask([]int{1, 2, 3}, func(item int) (int, error) {
		if item == 2 {
			return 0, refused
		}
		return 10 * item, nil
	}) {
		values, errs = append(values, value), append(errs, err)
	}
	if !slices.Equal(values, []int{10, 0, 30}) || !slices.Equal(errs, []error{nil, refused, nil}) {
		t.Errorf("got %v with %v", values, errs)
	}
}
