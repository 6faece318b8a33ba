package cluster

import (
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SetLabel sets a label of an object. It does not change a map that the object shares with another one.
func SetLabel(object client.Object, key, value string) {
	labels := maps.Clone(object.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	object.SetLabels(labels)
}

// SetAnnotation does so with an annotation.
func SetAnnotation(object client.Object, key, value string) {
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

// RemoveAnnotation removes an annotation of an object, as [SetAnnotation].
func RemoveAnnotation(object client.Object, key string) {
	annotations := maps.Clone(object.GetAnnotations())
	delete(annotations, key)
	object.SetAnnotations(annotations)
}
