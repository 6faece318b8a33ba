package cluster

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Includes reports whether live has all that desired has: whether a patch with desired would change nothing. The API
// server adds defaults, so live may say more. T is the type of an object or of a part of one.
func Includes[T any](live, desired T) bool {
	before, err := json.Marshal(live)
	if err != nil {
		return false
	}
	patch, err := json.Marshal(desired)
	if err != nil {
		return false
	}
	merged, err := strategicpatch.StrategicMergePatch(before, patch, live)
	if err != nil {
		return false
	}
	var after T
	return json.Unmarshal(merged, &after) == nil && equality.Semantic.DeepEqual(live, after)
}
