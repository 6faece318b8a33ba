package clustertest

import (
	"context"
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// keepPorts lets a leaf keep the lists of ports of its gateways. Its fake client keeps objects in the types of Liqo
// 1.2, which do not have them. A server reports its node ports, or else the ports of its Service.
func keepPorts(leaf *cluster.Leaf) {
	k := keptPorts{lists: map[string]map[string]any{}}
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{Apply: k.apply, Patch: k.patch, Get: k.get})
}

// keptPorts are the lists of gateways, by kind and name.
type keptPorts struct {
	mu    sync.Mutex
	lists map[string]map[string]any
}

func nameOf(object client.Object) string {
	return object.GetObjectKind().GroupVersionKind().Kind + " " + client.ObjectKeyFromObject(object).String()
}

// write keeps the lists in the endpoint of a gateway. An apply has all lists that its manager wants, a patch those that
// it changes.
func (k *keptPorts) write(object client.Object, endpoint map[string]any, isPatch bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := map[string]any{}
	for _, field := range []string{"ports", "nodePorts"} {
		value, isSet := endpoint[field]
		if isPatch && !isSet {
			value = k.lists[nameOf(object)][field]
		}
		if value != nil {
			kept[field] = value
		}
	}
	k.lists[nameOf(object)] = kept
}

func (k *keptPorts) apply(
	ctx context.Context, c client.WithWatch, intent runtime.ApplyConfiguration, options ...client.ApplyOption,
) error {
	if object, ok := intent.(client.Object); ok {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(intent)
		if err != nil {
			return err
		}
		endpoint, _, _ := unstructured.NestedMap(content, "spec", "endpoint")
		k.write(object, endpoint, false)
	}
	return c.Apply(ctx, intent, options...)
}

func (k *keptPorts) patch(
	ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
) error {
	if _, whole := object.(*unstructured.Unstructured); whole {
		data, err := patch.Data(object)
		if err != nil {
			return err
		}
		var change struct {
			Spec struct{ Endpoint map[string]any }
		}
		if err := json.Unmarshal(data, &change); err != nil {
			return err
		}
		for _, value := range change.Spec.Endpoint {
			list, _ := value.([]any)
			for i := range list {
				list[i] = int64(list[i].(float64)) //nolint:errcheck,forcetypeassert // as JSON has numbers
			}
		}
		k.write(object, change.Spec.Endpoint, true)
	}
	return c.Patch(ctx, object, patch, options...)
}

func (k *keptPorts) get(
	ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	whole, ok := object.(*unstructured.Unstructured)
	if err := c.Get(ctx, key, object, options...); err != nil || !ok {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for field, list := range k.lists[nameOf(whole)] {
		if err := unstructured.SetNestedField(whole.Object, list, "spec", "endpoint", field); err != nil {
			return err
		}
	}
	ports, listens := k.lists[nameOf(whole)]["nodePorts"]
	if !listens {
		ports, listens = k.lists[nameOf(whole)]["ports"]
	}
	if _, reports, _ := unstructured.NestedMap(whole.Object, "status", "endpoint"); listens && reports {
		return unstructured.SetNestedField(whole.Object, ports, "status", "endpoint", "ports")
	}
	return nil
}
