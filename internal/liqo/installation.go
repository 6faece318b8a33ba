package liqo

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/utils/getters"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// The installation of Liqo on a leaf can't change while the leaf is connected. So a leaf is asked once for what it
// consists of: its Deployments, which have the version, the flags and the pools; its [Ranges]; and its [Schemas].

// defects has what is wrong with a version of Liqo, in sentences, by the version.
var defects = map[string]string{
	"v1.0.0": "If it remaps the pod CIDR of the other leaf, and the two leaves have different pod CIDRs, pods of the " +
		"other leaf get no answers from pods of this one. Update it to v1.0.1 or newer.",
}

// oldestLiqo is the first version with the kinds that this provider uses.
var oldestLiqo = version.MustParseSemantic("v1.0.0-0")

// The Deployments of Liqo, by the label that its chart gives them. Their names depend on the release of the chart.
const (
	controllers = "controller-manager"
	ipam        = "ipam"

	// ControllersSelector selects the Deployment of Liqo's controllers and its pods, for kubectl.
	ControllersSelector = consts.K8sAppNameKey + "=" + controllers
)

// installation is what Liqo's Deployments on a leaf say.
type installation struct {
	version string         // of the controllers; empty if nobody knows
	denies  bool           // the controllers are told to forbid direct connections
	pools   []netip.Prefix // of the IPAM; nil if nobody knows
}

func installationOn(ctx context.Context, leaf *cluster.Leaf) (installation, error) {
	return cluster.Once(ctx, leaf, func() (found installation, err error) {
		all, err := readDeployments(ctx, leaf, controllers, ipam)
		for i := range all {
			flags := flagsOf(&all[i])
			if all[i].Labels[consts.K8sAppNameKey] == ipam {
				found.pools = poolsOf(flags)
				continue
			}
			found.version, _ = getters.GetContainerImageVersion(all[i].Spec.Template.Spec.Containers, controllers)
			denies, set := flags["--deny-direct-connections"]
			found.denies = set && denies != "false"
		}
		return found, err
	})
}

// Controllers reads the Deployments of Liqo's controllers as they are now, usually one.
func Controllers(ctx context.Context, leaf *cluster.Leaf) ([]appsv1.Deployment, error) {
	return readDeployments(ctx, leaf, controllers)
}

func readDeployments(ctx context.Context, leaf *cluster.Leaf, names ...string) ([]appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	err := leaf.List(ctx, &list, client.InNamespace(leaf.LiqoNamespace), withLabel(consts.K8sAppNameKey, names...))
	return list.Items, err
}

// withLabel selects objects whose label has one of these values, which must be valid.
func withLabel(key string, values ...string) client.ListOption {
	one, err := labels.NewRequirement(key, selection.In, values)
	if err != nil {
		panic(err)
	}
	return client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*one)}
}

// flagsOf returns the values of the flags of all containers, by their names as in the arguments. A value that is an
// argument of its own is not found.
func flagsOf(deployment *appsv1.Deployment) map[string]string {
	flags := map[string]string{}
	for _, container := range deployment.Spec.Template.Spec.Containers {
		for _, argument := range container.Args {
			name, value, _ := strings.Cut(argument, "=")
			flags[name] = value
		}
	}
	return flags
}

// Version returns the version of Liqo's controllers, from the tag of their image. A custom build may have none.
func Version(ctx context.Context, leaf *cluster.Leaf) (string, error) {
	found, err := installationOn(ctx, leaf)
	if err == nil && found.version == "" {
		err = cluster.Found(trouble.Problem{
			ID: "liqo-version-unknown", Leaf: leaf.Name, Summary: "the version of Liqo is not known",
			Err: fmt.Errorf("namespace %s has no Deployment of Liqo's controllers whose image has a tag", leaf.LiqoNamespace),
		})
	}
	return found.version, err
}

// Name returns Liqo with its version, if that is known, as the subject of a sentence about this leaf.
func Name(ctx context.Context, leaf *cluster.Leaf) string {
	text, _ := Version(ctx, leaf)
	return strings.TrimSpace("Liqo " + text)
}

// CheckDefect returns an error if the leaf's version of Liqo is known to have a defect.
func CheckDefect(ctx context.Context, leaf *cluster.Leaf) error {
	text, _ := Version(ctx, leaf) // no defect of an unknown version is known
	defect, known := defects[text]
	if !known {
		return nil
	}
	return &trouble.Problem{
		ID: "liqo-defect", Advice: defect,
		Summary: fmt.Sprintf("%s on leaf %q has a defect", Name(ctx, leaf), leaf.Name),
	}
}

// CheckVersion returns an error if the version is known to be too old. It accepts an unknown version, such as a custom
// build. What a supported version can do is in [CapabilitiesOf].
func CheckVersion(ctx context.Context, leaf *cluster.Leaf) error {
	text, _ := Version(ctx, leaf)
	found, err := version.ParseSemantic(text)
	if err != nil || found.AtLeast(oldestLiqo) {
		return nil //nolint:nilerr // documented
	}
	return &trouble.Problem{
		ID: "liqo-too-old", Leaf: leaf.Name, Summary: "Liqo is older than 1.0", Advice: "Update Liqo on this leaf.",
		Evidence: []string{fmt.Sprintf("It is %s, and this provider needs v1.0.0 or newer.", text)},
	}
}

// DeniesDirectConnections reports whether Liqo's controllers are told to forbid direct connections.
func DeniesDirectConnections(ctx context.Context, leaf *cluster.Leaf) (bool, error) {
	found, err := installationOn(ctx, leaf)
	return found.denies, err
}

// Pools returns the ranges from which Liqo's IPAM on this leaf allocates. Any range outside them is remapped. The
// result is nil if the pools are unknown, for example with a custom IPAM.
func Pools(ctx context.Context, leaf *cluster.Leaf) []netip.Prefix {
	found, _ := installationOn(ctx, leaf)
	return found.pools
}

// poolsOf reads the pools from the flags of an IPAM. By default, it has Liqo's.
func poolsOf(flags map[string]string) []netip.Prefix {
	texts := consts.PrivateAddressSpace
	if list, set := flags["--pools"]; set {
		texts = strings.Split(list, ",")
	}
	pools := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		var err error
		if pools[i], err = netip.ParsePrefix(text); err != nil {
			return nil
		}
	}
	return pools
}
