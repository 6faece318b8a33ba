package explain

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Names returns a text that lists objects of a leaf.
func Names(leaf *cluster.Leaf, objects ...client.Object) string {
	names := make([]string, len(objects))
	for i, object := range objects {
		names[i] = leaf.Describe(object)
	}
	return Enumerate(slices.Compact(names))
}

// Enumerate joins words with commas and "and".
func Enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return cluster.FullStop(text)
}
