package acctest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Inventory lists every object in every cluster, one per line: the cluster, the resource, and the name.
func (l *Lab) Inventory(t *testing.T) []string {
	t.Helper()
	lines, err := l.inventory()
	Must(t, err)
	return lines
}

func (l *Lab) inventory() ([]string, error) {
	printed, err := Output(LabProgram, "inventory", "--dir", l.Dir)
	return strings.Split(printed, "\n"), err
}

// KeepsInventory fails the test if, at its end, the clusters have other objects than now.
func (l *Lab) KeepsInventory(t *testing.T) {
	t.Helper()
	before := l.Inventory(t)
	Finally(t, func() error { return l.SameInventory(t, before) })
}

// SameInventory compares the objects on the clusters with those before. What Kubernetes [collects] has some time to go.
// It also works in a cleanup.
func (l *Lab) SameInventory(t *testing.T, before []string) (err error) {
	t.Helper()
	added, removed := l.changes(t, before)
	late := slices.DeleteFunc(slices.Clone(added), func(line string) bool { return collects(line) == nil })
	if len(late) > 0 {
		for _, line := range late {
			err = errors.Join(err, l.goes(t, line))
		}
		added, removed = l.changes(t, before)
	}
	if len(added)+len(removed) > 0 {
		err = errors.Join(err, fmt.Errorf("the objects on the clusters have changed; new:\n%s\ngone:\n%s",
			strings.Join(added, "\n"), strings.Join(removed, "\n")))
	}
	return err
}

// changes returns the lines of the inventory that are new, and those that are gone.
func (l *Lab) changes(t *testing.T, before []string) (added, removed []string) {
	t.Helper()
	now := l.Inventory(t)
	without := func(lines, others []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
	}
	return without(now, before), without(before, now)
}

// collects returns the kind of the object of a line of the inventory if Kubernetes removes such objects some time after
// their owner, and nobody waits for that: the pods of a Deployment, Liqo's rules against masquerading, and routes to a
// gateway, which Liqo can make once more if an API server restarts shortly before they are removed. For all others,
// which a removal waits for, it returns nil.
func collects(line string) *schema.GroupVersionKind {
	switch {
	case strings.Contains(line, " pods "):
		return new(corev1.SchemeGroupVersion.WithKind("Pod"))
	case strings.HasSuffix(line, "-masquerade-bypass"):
		return new(networkingv1beta1.GroupVersion.WithKind(cluster.FirewallConfigurationKind))
	case strings.HasSuffix(line, "-node-gw"):
		return new(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.RouteConfigurationKind))
	default:
		return nil
	}
}

// goes returns once the object of a line of the inventory that Kubernetes [collects] is gone.
func (l *Lab) goes(t *testing.T, line string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), TimeToHappen)
	defer cancel()
	words := strings.Fields(line) // cluster, resource, name
	namespace, name, _ := strings.Cut(words[2], "/")
	object, list := Named(&metav1.PartialObjectMetadata{}, namespace, name), &metav1.PartialObjectMetadataList{}
	object.SetGroupVersionKind(*collects(line))
	list.SetGroupVersionKind(*collects(line))
	c := l.Client(t, words[0])
	return untilGone(ctx, c, list, object, func() error { return c.Get(ctx, client.ObjectKeyFromObject(object), object) })
}
