package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// controller stands in for the controllers of a leaf: Kubernetes' garbage collector and its controller of namespaces,
// and those of Liqo. It reacts to one change after the other.
type controller struct {
	*leaf

	nodePorts int32 // how many it has given away
	ranges    *ranges
}

func newController(l *leaf) (*controller, error) {
	ranges, err := newRanges()
	return &controller{leaf: l, ranges: ranges}, err
}

// reportPeriod is how often Liqo's gateways report their tunnels.
const reportPeriod = 10 * time.Second

// run reacts to changes until ctx ends. The first failure ends it, too, because it is a defect of the fleet.
func (c *controller) run(ctx context.Context, changes *watcher) error {
	reports := time.NewTicker(reportPeriod)
	defer reports.Stop()
	for {
		select {
		case <-changes.more:
			for _, e := range changes.take() {
				if err := c.react(e); err != nil {
					return fmt.Errorf("leaf %s, %s %s: %w", c.name, e.resource.kind, key(e.object), err)
				}
			}
		case <-reports.C:
			if err := c.reportTunnels(); err != nil {
				return fmt.Errorf("leaf %s: %w", c.name, err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func (c *controller) react(of change) error {
	if of.event == watch.Deleted {
		if of.resource.gvk() == networkKind {
			c.ranges.takeBack(key(of.object))
		}
		if err := c.collect(of.object); err != nil || !c.isGoing(of.object.GetNamespace()) {
			return err
		}
		return c.empty(of.object.GetNamespace())
	}
	if of.object.GetDeletionTimestamp() != nil {
		if of.resource.gvk() == v1.WithKind("Namespace") {
			return c.empty(of.object.GetName())
		}
		return nil
	}
	if reaction := byKind[of.resource.kind]; reaction != nil {
		return reaction(c, of.object)
	}
	return nil
}

// collect deletes what an object that is gone has owned, unless another owner is there.
func (c *controller) collect(owner object) error {
	for _, r := range c.resources {
		owned, _ := c.store.list(r, func(one object) bool { return owns(owner, one) })
		for _, one := range owned {
			if len(one.GetOwnerReferences()) > 1 && c.hasOwner(one) {
				continue
			}
			if err := c.delete(r, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func owns(owner, one object) bool {
	return slices.ContainsFunc(one.GetOwnerReferences(), func(reference metav1.OwnerReference) bool {
		return reference.UID == owner.GetUID()
	})
}

// hasOwner reports whether an owner of an object is there, of any kind.
func (c *controller) hasOwner(one object) bool {
	for _, r := range c.resources {
		if owners, _ := c.store.list(r, func(owner object) bool { return owns(owner, one) }); len(owners) > 0 {
			return true
		}
	}
	return false
}

// isGoing reports whether a namespace is being deleted.
func (c *controller) isGoing(namespace string) bool {
	found, err := c.store.get(c.store.namespaces, types.NamespacedName{Name: namespace})
	return err == nil && found.GetDeletionTimestamp() != nil
}

// empty deletes what is in a namespace that is being deleted, and gives the namespace up once nothing is left in it.
func (c *controller) empty(namespace string) error {
	within := func(one object) bool { return one.GetNamespace() == namespace }
	for _, r := range c.resources {
		found, _ := c.store.list(r, within)
		for _, one := range found {
			if err := c.delete(r, one); err != nil {
				return err
			}
		}
	}
	held := map[string]int{} // how many objects by their finalizers
	for _, r := range c.resources {
		left, _ := c.store.list(r, within)
		for _, one := range left {
			for _, finalizer := range one.GetFinalizers() {
				held[finalizer]++
			}
		}
	}
	_, err := c.store.write(c.store.namespaces, types.NamespacedName{Name: namespace},
		func(present *contents) (*contents, error) {
			switch {
			case present == nil:
			case len(held) == 0:
				present.Object["spec"] = map[string]any{}
			default:
				present.Object["status"] = heldNamespace(held)
			}
			return present, nil
		})
	return err
}

// heldNamespace is the status of a namespace with objects that wait for finalizers.
func heldNamespace(finalizers map[string]int) map[string]any {
	var counts []string
	for _, finalizer := range slices.Sorted(maps.Keys(finalizers)) {
		counts = append(counts, fmt.Sprintf("%s in %d resource instances", finalizer, finalizers[finalizer]))
	}
	return map[string]any{"phase": string(corev1.NamespaceTerminating), "conditions": []any{map[string]any{
		"type": string(corev1.NamespaceFinalizersRemaining), "status": string(corev1.ConditionTrue),
		"reason":  "SomeFinalizersRemain",
		"message": "Some content in the namespace has finalizers remaining: " + strings.Join(counts, ", "),
	}}}
}

// delete deletes an object if it still exists.
func (c *controller) delete(r *resource, one object) error {
	_, err := c.store.delete(r, key(one), func(*contents) error { return nil })
	return client.IgnoreNotFound(err)
}

// ensure creates an object unless it exists. In a namespace that is going, nothing is created any more.
func (c *controller) ensure(one client.Object) error {
	content, r, err := c.untyped(one)
	if err != nil {
		return err
	}
	_, err = c.store.write(r, key(one), func(present *contents) (*contents, error) {
		if present != nil {
			return present, nil
		}
		return r.update("", nil, content, liqoManager)
	})
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// untyped returns an object without its type, and its resource.
func (c *controller) untyped(one client.Object) (*contents, *resource, error) {
	kind, err := apiutil.GVKForObject(one, kube.Scheme)
	if err != nil {
		return nil, nil, err
	}
	r, err := c.resources.resourceOf(kind)
	if err != nil {
		return nil, nil, err
	}
	content, err := contentOf(one)
	if err != nil {
		return nil, nil, err
	}
	object := &contents{Object: content}
	object.SetGroupVersionKind(kind)
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return object, r, nil
}

// contentOf returns what an object is on the wire.
func contentOf(typed any) (map[string]any, error) {
	encoded, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	err = json.Unmarshal(encoded, &content)
	return content, err
}

// each calls a function with every object of a kind. Of a kind that is not served, there are none.
func (c *controller) each(kind schema.GroupVersionKind, do func(object) error) error {
	r := c.resources.ofKind(kind)
	if r == nil {
		return nil
	}
	found, _ := c.store.list(r, func(object) bool { return true })
	for _, one := range found {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}

// as returns an object with its type.
func as[T any](of *contents) (*T, error) {
	typed := new(T)
	return typed, runtime.DefaultUnstructuredConverter.FromUnstructured(of.Object, typed)
}

// report fills in the status of an object, if the object still exists.
func report[T any](c *controller, kind schema.GroupVersionKind, of types.NamespacedName, fill func(*T)) error {
	r, err := c.resources.resourceOf(kind)
	if err != nil {
		return err
	}
	_, err = c.store.write(r, of, func(present *contents) (*contents, error) {
		if present == nil {
			return nil, nil
		}
		typed, err := as[T](present)
		if err != nil {
			return nil, err
		}
		fill(typed)
		content, err := contentOf(typed)
		if err != nil {
			return nil, err
		}
		written := present.DeepCopy()
		set(written, "status", content["status"])
		return r.update("status", present, written, liqoManager)
	})
	return err
}
