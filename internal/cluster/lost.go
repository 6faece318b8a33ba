package cluster

import (
	"context"
	"errors"
)

// Lost reports whether an error of connecting to a leaf means that the leaf may be gone for good.
// Then its name is unknown, nothing answers at its address, the cluster there has no Liqo, none of Liqo's
// kinds or an untrusted certificate, or its centre is not peered with it. A leaf that refuses the
// credentials is not lost, because it exists.
func Lost(err error) bool {
	_, unknown := errors.AsType[*UnknownNameError](err)
	missing, _ := errors.AsType[*noIdentityError](err)
	return unknown || missing != nil && missing.unpeered || Unreachable(err) || NoLiqo(err) || isUnknownResource(err) ||
		isUntrusted(err) || errors.Is(err, context.DeadlineExceeded)
}
