package clustertest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// keepPorts lets a leaf keep the lists of ports of its gateways. Its fake client keeps objects in the types of Liqo
// 1.2, which do not have them. A server reports its node ports, or else the ports of its Service.
func keepPorts(leaf *cluster.Leaf) {
	k := keptPorts{lists: map[string]portLists{}}
	leaf.Live = interceptor.NewClient(leaf.Live, interceptor.Funcs{Apply: k.apply, Patch: k.patch, Get: k.get})
}

// keptPorts are the lists of gateways, by kind and name.
type keptPorts struct {
	mu    sync.Mutex
	lists map[string]portLists
}

type portLists struct {
	Ports     []int64 `json:"ports,omitempty"`
	NodePorts []int64 `json:"nodePorts,omitempty"`
}

func nameOf(c client.Client, object client.Object) string {
	kind, _ := apiutil.GVKForObject(object, c.Scheme()) // the client itself refuses an unknown one
	return kind.Kind + " " + client.ObjectKeyFromObject(object).String()
}

// write keeps the lists of a gateway in JSON. An apply has all lists that its manager wants, a patch those that it
// changes.
func (k *keptPorts) write(name string, data []byte, isPatch bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var object struct{ Spec struct{ Endpoint portLists } }
	if isPatch { // copies, because JSON is read into what is there, and readers have that
		kept := k.lists[name]
		object.Spec.Endpoint = portLists{slices.Clone(kept.Ports), slices.Clone(kept.NodePorts)}
	}
	err := json.Unmarshal(data, &object)
	k.lists[name] = object.Spec.Endpoint
	return err
}

func (k *keptPorts) apply(
	ctx context.Context, c client.WithWatch, intent runtime.ApplyConfiguration, options ...client.ApplyOption,
) error {
	if object, ok := intent.(client.Object); ok {
		data, err := json.Marshal(intent)
		if err != nil {
			return err
		}
		if err := k.write(nameOf(c, object), data, false); err != nil {
			return err
		}
	}
	return c.Apply(ctx, intent, options...)
}

func (k *keptPorts) patch(
	ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
) error {
	if patch.Type() == types.MergePatchType {
		data, err := patch.Data(object)
		if err != nil {
			return err
		}
		if err := k.write(nameOf(c, object), data, true); err != nil {
			return err
		}
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
	lists := k.lists[nameOf(c, whole)]
	k.mu.Unlock()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&lists)
	if err != nil || len(fields) == 0 {
		return err
	}
	for field, list := range fields {
		_ = unstructured.SetNestedField(whole.Object, list, "spec", "endpoint", field) // a gateway has an endpoint
	}
	if _, reports, _ := unstructured.NestedMap(whole.Object, "status", "endpoint"); reports {
		return unstructured.SetNestedField(whole.Object, cmp.Or(fields["nodePorts"], fields["ports"]),
			"status", "endpoint", "ports")
	}
	return nil
}
