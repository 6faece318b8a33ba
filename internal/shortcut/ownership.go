package shortcut

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mark says that this package made an object.
func mark(object client.Object) {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[ManagedByLabel] = ManagedBy
	object.SetLabels(labels)
}

// managed tells whether this package made an object.
func managed(object client.Object) bool { return object.GetLabels()[ManagedByLabel] == ManagedBy }

// ours tells whether this package made any of the objects.
func (o objects) ours() bool { return slices.ContainsFunc(o.made(), managed) }
