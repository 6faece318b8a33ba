package cluster

import (
	"maps"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SetLabel sets a label of an object. It does not change a map that the object shares with another one.
func SetLabel(object client.Object, key, value string) {
	object.SetLabels(labels.Merge(object.GetLabels(), labels.Set{key: value}))
}

// SetAnnotation does so with an annotation.
func SetAnnotation(object client.Object, key, value string) {
	object.SetAnnotations(labels.Merge(object.GetAnnotations(), labels.Set{key: value}))
}

// RemoveAnnotation removes an annotation of an object, as [SetAnnotation].
func RemoveAnnotation(object client.Object, key string) {
	annotations := maps.Clone(object.GetAnnotations())
	delete(annotations, key)
	object.SetAnnotations(annotations)
}
