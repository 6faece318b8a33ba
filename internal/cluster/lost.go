package cluster

import (
	"context"
	"errors"
)

// Lost reports whether an error of connecting to a leaf means that the leaf may be gone for good.
// Then its name is unknown, nothing answers at its address, or the cluster there has no Liqo or an
// untrusted certificate. A leaf that refuses the credentials is not lost, because it exists.
func Lost(err error) bool {
	_, unknown := errors.AsType[*UnknownNameError](err)
	return unknown || Unreachable(err) || NoLiqo(err) || isUntrusted(err) || errors.Is(err, context.DeadlineExceeded)
}
