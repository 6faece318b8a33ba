package liqo

import (
	"context"
	"fmt"

	"github.com/liqotech/liqo/pkg/utils/getters"
	liqolabels "github.com/liqotech/liqo/pkg/utils/labels"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// defects has what is wrong with a version of Liqo, by the version.
var defects = map[string]string{
	"v1.0.0": "If it remaps the pod CIDR of the other leaf, and the two leaves have different pod CIDRs, pods of the " +
		"other leaf get no answers from pods of this one. Update it to v1.0.1 or newer.",
}

// oldestLiqo is the first version with the kinds that this provider uses.
var oldestLiqo = version.MustParseSemantic("v1.0.0-0")

// tag is the version of the image of Liqo's controllers.
type tag string

// Version returns the version of Liqo's controllers, from the tag of their image.
func Version(ctx context.Context, leaf *cluster.Leaf) (string, error) {
	text, err := cluster.Once(ctx, leaf, func() (tag, error) {
		lister := &lister{Client: leaf.Live}
		found, err := getters.GetLiqoVersion(ctx, lister, leaf.LiqoNamespace)
		return tag(found), lister.explain(leaf, err, trouble.Problem{
			ID: "liqo-version-unknown", Summary: "the version of Liqo is not known",
		})
	})
	return string(text), err
}

// ControllerManagers returns the Deployments of Liqo's controllers, usually one. Its name depends on the release of
// Liqo's chart, so they are found by their labels.
func ControllerManagers(ctx context.Context, leaf *cluster.Leaf) ([]appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	err := leaf.List(ctx, &list, client.InNamespace(leaf.LiqoNamespace),
		client.MatchingLabelsSelector{Selector: liqolabels.ControllerManagerLabelSelector()})
	return list.Items, err
}

// Name returns Liqo with its version, as the subject of a sentence about this leaf.
func Name(ctx context.Context, leaf *cluster.Leaf) string {
	text, err := Version(ctx, leaf)
	if err != nil {
		return "Liqo" // a custom build may have no version
	}
	return "Liqo " + text
}

// Defect returns what is wrong with the leaf's version of Liqo, in sentences. It is empty if nothing is known.
func Defect(ctx context.Context, leaf *cluster.Leaf) string {
	text, _ := Version(ctx, leaf) // no defect of an unknown version is known
	return defects[text]
}

// CheckVersion returns an error if the version is known to be too old. It accepts an unknown version, such as a custom
// build. What a supported version can do is in [CapabilitiesOf].
func CheckVersion(ctx context.Context, leaf *cluster.Leaf) error {
	text, err := Version(ctx, leaf)
	if err != nil {
		return nil //nolint:nilerr // documented
	}
	found, err := version.ParseSemantic(text)
	if err != nil || found.AtLeast(oldestLiqo) {
		return nil //nolint:nilerr // documented
	}
	return &trouble.Problem{
		ID: "liqo-too-old", Leaf: leaf.Name, Summary: "Liqo is older than 1.0", Advice: "Update Liqo on this leaf.",
		Evidence: []string{fmt.Sprintf("It is %s, and this provider needs v1.0.0 or newer.", text)},
	}
}

// lister keeps the error of the last list. Liqo's getters replace it by one that does not say what is wrong, or find
// something wrong with what they got.
type lister struct {
	client.Client

	failure error
}

// List implements [client.Reader].
func (l *lister) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	l.failure = l.Client.List(ctx, list, options...)
	return l.failure
}

// explain explains an error of a getter: by what the API server has answered, otherwise as the given problem.
func (l *lister) explain(leaf *cluster.Leaf, err error, found trouble.Problem) error {
	if err == nil || l.failure != nil {
		return leaf.Explain(l.failure)
	}
	found.Leaf, found.Err = leaf.Name, err
	return cluster.Found(found)
}
