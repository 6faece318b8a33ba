package cluster

import (
	"context"
	"fmt"

	"github.com/liqotech/liqo/pkg/utils/getters"
	"k8s.io/apimachinery/pkg/util/version"
)

// oldestLiqo is the first version whose Configurations can hold several pod CIDRs, the form that
// this provider writes.
var oldestLiqo = version.MustParseSemantic("v1.2.0-0")

// LiqoVersion returns the version of Liqo's controllers, from the tag of their image.
func (l *Leaf) LiqoVersion(ctx context.Context) (string, error) {
	return l.liqoVersion.get(func() (string, error) {
		found, err := getters.GetLiqoVersion(ctx, l.Live, l.LiqoNamespace)
		return found, l.Explain(err)
	})
}

// CheckLiqoVersion returns an error if the version is known to be too old. It accepts an unknown
// version, such as a custom build.
func (l *Leaf) CheckLiqoVersion(ctx context.Context) error {
	text, err := l.LiqoVersion(ctx)
	if err != nil {
		return nil //nolint:nilerr // documented
	}
	found, err := version.ParseSemantic(text)
	if err != nil || found.AtLeast(oldestLiqo) {
		return nil //nolint:nilerr // documented
	}
	return &Error{
		Leaf: l.Name, Summary: "unsupported version of Liqo", Hint: "Update Liqo on this leaf.",
		Err: fmt.Errorf("it is %s, and this provider needs v1.2.0 or newer", text),
	}
}
