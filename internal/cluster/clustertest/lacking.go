package clustertest

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lacking yields the objects of a leaf without one of them, or with a field of one of them missing or empty, and the
// name of what is missing.
// Whoever may write on a leaf may write them so.
func Lacking(tb testing.TB, objects []client.Object) iter.Seq2[string, []client.Object] {
	tb.Helper()
	return func(yield func(string, []client.Object) bool) {
		for i, object := range objects {
			if !yield(fmt.Sprintf("%T, %d", object, i+1), slices.Delete(slices.Clone(objects), i, i+1)) {
				return
			}
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				tb.Fatal(err)
			}
			for name, lacking := range withoutEach(content) {
				changed, ok := reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
				if !ok {
					tb.Fatalf("%T is no object", object)
				}
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(lacking, changed); err != nil {
					tb.Fatal(err)
				}
				if changed.GetName() != object.GetName() || changed.GetNamespace() != object.GetNamespace() {
					continue // another object
				}
				all := slices.Clone(objects)
				all[i] = changed
				if !yield(fmt.Sprintf("%T %s of %d", object, name, i+1), all) {
					return
				}
			}
		}
	}
}

// withoutEach yields a tree without each of its fields, at any depth, and with each list or map emptied.
func withoutEach(tree map[string]any) iter.Seq2[string, map[string]any] {
	return func(yield func(string, map[string]any) bool) {
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			with := func(value any) map[string]any {
				changed := maps.Clone(tree)
				changed[key] = value
				return changed
			}
			missing := maps.Clone(tree)
			delete(missing, key)
			if !yield(key, missing) {
				return
			}
			for name, value := range shorter(tree[key]) {
				if !yield(key+name, with(value)) {
					return
				}
			}
		}
	}
}

// shorter yields a list or map that is empty, or in which something is missing. It yields nothing for another value.
func shorter(value any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		switch value := value.(type) {
		case map[string]any:
			if !yield("={}", map[string]any{}) {
				return
			}
			for name, lacking := range withoutEach(value) {
				if !yield("."+name, lacking) {
					return
				}
			}
		case []any:
			if !yield("=[]", []any{}) {
				return
			}
			for i := range value {
				for name, lacking := range shorter(value[i]) {
					changed := slices.Clone(value)
					changed[i] = lacking
					if !yield(fmt.Sprintf("[%d]%s", i, name), changed) {
						return
					}
				}
			}
		}
	}
}
