package acctest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.SameInventory(context.WithoutCancel(t.Context()), t, before); err != nil {
			t.Error(err)
		}
	})
}

// SameInventory compares the objects on the clusters with those before. Kubernetes removes objects after their owner, a
// pod after its Deployment for example, so new ones with an owner have some time to go.
func (l *Lab) SameInventory(ctx context.Context, t *testing.T, before []string) error {
	t.Helper()
	added, removed, err := l.changes(ctx, before)
	if err == nil && len(added) > 0 {
		for _, line := range added {
			err = errors.Join(err, l.ownedGoes(ctx, t, line))
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

// ownedGoes returns once the object of a line of the inventory is gone, or at once if it has no owner.
func (l *Lab) ownedGoes(ctx context.Context, t *testing.T, line string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, TimeToHappen)
	defer cancel()
	words := strings.Fields(line)
	c := l.Administrator(t, words[0])
	group, resource, found := strings.Cut(words[1], "/")
	if !found {
		group, resource = "", words[1]
	}
	kind, err := c.RESTMapper().KindFor(schema.GroupVersionResource{Group: group, Resource: resource})
	if err != nil {
		return err
	}
	var (
		object metav1.PartialObjectMetadata
		list   metav1.PartialObjectMetadataList
	)
	object.SetGroupVersionKind(kind)
	list.SetGroupVersionKind(kind)
	namespace, name, found := strings.Cut(words[2], "/")
	if !found {
		namespace, name = "", words[2]
	}
	key := client.ObjectKey{Namespace: namespace, Name: name}
	if err := c.Get(ctx, key, &object); err != nil || len(object.OwnerReferences) == 0 {
		return client.IgnoreNotFound(err)
	}
	return untilGone(ctx, c, &list, &object, func() error { return c.Get(ctx, key, &object) })
}
