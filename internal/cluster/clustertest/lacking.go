package clustertest

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lacking yields the objects of a leaf without one of them, or with a field of one of them missing or empty. Whoever
// may write on a leaf may write them so.
func Lacking(tb testing.TB, objects []client.Object) iter.Seq[[]client.Object] {
	tb.Helper()
	return func(yield func([]client.Object) bool) {
		for i, object := range objects {
			changed := []client.Object{nil}
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				tb.Fatal(err)
			}
			for _, lacking := range lackingEach(content) {
				changed = append(changed, typed(tb, object, lacking))
			}
			for _, one := range changed {
				all := slices.Delete(slices.Clone(objects), i, i+1)
				if one != nil {
					all = append(all, one)
				}
				if !yield(all) {
					return
				}
			}
		}
	}
}

// typed returns an object with other content, or nil if the content has another name.
func typed(tb testing.TB, like client.Object, content map[string]any) client.Object {
	tb.Helper()
	object, ok := reflect.TypeAssert[client.Object](reflect.New(reflect.TypeOf(like).Elem()))
	if !ok {
		tb.Fatalf("%T is no object", like)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, object); err != nil {
		tb.Fatal(err)
	}
	if client.ObjectKeyFromObject(object) != client.ObjectKeyFromObject(like) {
		return nil
	}
	return object
}

// lackingEach returns a tree without each of its fields, at any depth, and with each list or map emptied.
func lackingEach(tree map[string]any) []map[string]any {
	var all []map[string]any
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		missing := maps.Clone(tree)
		delete(missing, key)
		all = append(all, missing)
		for _, value := range shorter(tree[key]) {
			changed := maps.Clone(tree)
			changed[key] = value
			all = append(all, changed)
		}
	}
	return all
}

// shorter returns a list or map that is empty, and those in which something is missing. It returns none for another
// value.
func shorter(value any) []any {
	switch value := value.(type) {
	case map[string]any:
		all := []any{map[string]any{}}
		for _, lacking := range lackingEach(value) {
			all = append(all, lacking)
		}
		return all
	case []any:
		all := []any{[]any{}}
		for i := range value {
			for _, lacking := range shorter(value[i]) {
				changed := slices.Clone(value)
				changed[i] = lacking
				all = append(all, changed)
			}
		}
		return all
	default:
		return nil
	}
}
