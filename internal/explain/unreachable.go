package explain

import (
	"errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// unreachable returns the cause that the leaf does not answer, or false for any other error. Every request can fail
// like this.
func unreachable(err error) (cause, bool) {
	explained, ok := errors.AsType[*cluster.Error](err)
	if !ok || !cluster.Unreachable(err) {
		return cause{}, false
	}
	return cause{
		rank: rankUnreachable, trouble: explained.Trouble, also: beneath(explained), summary: explained.Summary,
		evidence: []string{explained.Detail()},
	}, true
}
