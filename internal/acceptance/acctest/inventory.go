package acctest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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
func (l *Lab) Inventory(ctx context.Context) ([]string, error) {
	output, err := exec.CommandContext(ctx, LabProgram, "inventory", "--dir", l.Dir).Output()
	if err != nil {
		return nil, fmt.Errorf("liqo-lab inventory: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}

// KeepsInventory fails the test if, at its end, the clusters have other objects than now.
func (l *Lab) KeepsInventory(t *testing.T) {
	t.Helper()
	before, err := l.Inventory(t.Context())
	Must(t, err)
	t.Cleanup(func() {
		if err := l.SameInventory(context.WithoutCancel(t.Context()), t, before); err != nil {
			t.Error(err)
		}
	})
}

// SameInventory compares the objects on the clusters with those before. What Kubernetes [collects] has some time to go.
func (l *Lab) SameInventory(ctx context.Context, t *testing.T, before []string) error {
	t.Helper()
	added, removed, err := l.changes(ctx, before)
	late := slices.DeleteFunc(slices.Clone(added), func(line string) bool { return collects(line) == nil })
	if err == nil && len(late) > 0 {
		for _, line := range late {
			err = errors.Join(err, l.goes(ctx, t, line))
		}
		var again error
		added, removed, again = l.changes(ctx, before)
		err = errors.Join(err, again)
	}
	if len(added)+len(removed) > 0 {
		err = errors.Join(err, fmt.Errorf("the objects on the clusters have changed; new:\n%s\ngone:\n%s",
			strings.Join(added, "\n"), strings.Join(removed, "\n")))
	}
	return err
}

// changes returns the lines of the inventory that are new, and those that are gone.
func (l *Lab) changes(ctx context.Context, before []string) (added, removed []string, err error) {
	now, err := l.Inventory(ctx)
	if err != nil {
		return nil, nil, err
	}
	without := func(lines, others []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
	}
	return without(now, before), without(before, now), nil
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
func (l *Lab) goes(ctx context.Context, t *testing.T, line string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, TimeToHappen)
	defer cancel()
	words := strings.Fields(line) // cluster, resource, name
	namespace, name, _ := strings.Cut(words[2], "/")
	object, list := &metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadataList{}
	object.SetGroupVersionKind(*collects(line))
	list.SetGroupVersionKind(*collects(line))
	object.Namespace, object.Name = namespace, name
	c := l.Client(t, words[0])
	return untilGone(ctx, c, list, object, func() error { return c.Get(ctx, client.ObjectKeyFromObject(object), object) })
}
