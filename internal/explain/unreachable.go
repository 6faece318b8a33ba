package explain

import (
	"errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// unreachable is the cause that the leaf does not answer, which shows in any question; false for other errors.
func unreachable(err error) (cause, bool) {
	explained, ok := errors.AsType[*cluster.Error](err)
	if !ok || !cluster.Unreachable(err) {
		return cause{}, false
	}
	return cause{rank: rankUnreachable, summary: explained.Summary, evidence: []string{explained.Detail()}}, true
}
