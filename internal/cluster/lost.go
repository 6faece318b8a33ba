package cluster

import (
	"context"
	"errors"
)

// Lost reports whether an error of connecting to a leaf means that the leaf may be gone for good: its name stands for nothing any more, nothing answers at its
// address, or what answers there has no Liqo or another's certificate. Credentials that are refused are no loss: the leaf is there.
func Lost(err error) bool {
	_, unknown := errors.AsType[*UnknownNameError](err)
	return unknown || Unreachable(err) || NoLiqo(err) || isUntrusted(err) || errors.Is(err, context.DeadlineExceeded)
}
