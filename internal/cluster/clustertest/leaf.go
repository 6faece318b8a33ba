// Package clustertest provides leaves that use controller-runtime's fake client, for tests without controllers.
package clustertest

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// kinds are the kinds that the provider knows, and their lists.
var kinds = sync.OnceValue(func() map[schema.GroupVersionKind]reflect.Type {
	kinds, mapper := cluster.NewScheme().AllKnownTypes(), cluster.KnownKinds()
	maps.DeleteFunc(kinds, func(kind schema.GroupVersionKind, _ reflect.Type) bool {
		_, err := mapper.RESTMapping(
			schema.GroupKind{Group: kind.Group, Kind: strings.TrimSuffix(kind.Kind, "List")}, kind.Version)
		return err != nil
	})
	return kinds
})

// newScheme returns a scheme of these kinds only, because a fake client goes through its whole scheme at each write.
// It adds others when it meets them, so each client has a scheme of its own.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for kind, of := range kinds() {
		object := reflect.New(of).Interface().(runtime.Object) //nolint:errcheck,forcetypeassert // as all kinds
		scheme.AddKnownTypeWithName(kind, object)
	}
	return scheme
}

// Leaf returns a leaf that holds these objects, and Liqo's own templates unless these are among them. name is also its
// cluster ID, and part of its UID. Its cache is always up to date.
func Leaf(tb testing.TB, name string, objects ...client.Object) *cluster.Leaf {
	tb.Helper()
	objects = withTemplates(objects)
	c := fake.NewClientBuilder().
		WithScheme(newScheme()).WithRESTMapper(cluster.KnownKinds()).WithObjects(objects...).
		WithTypeConverters(applyconfigurations.NewTypeConverter(clientgoscheme.Scheme),
			managedfields.NewDeducedTypeConverter()). // as by default, which makes the scheme again for each client
		WithStatusSubresource(&networkingv1beta1.FirewallConfiguration{},
			&networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{},
			&networkingv1beta1.GatewayClient{}, &networkingv1beta1.Connection{}).
		WithIndex(&corev1.Event{}, "involvedObject.uid", func(object client.Object) []string {
			event := object.(*corev1.Event) //nolint:errcheck,forcetypeassert // an index of Events gets Events
			return []string{string(event.InvolvedObject.UID)}
		}).
		WithIndex(&corev1.Event{}, "type", func(object client.Object) []string {
			return []string{object.(*corev1.Event).Type} //nolint:errcheck,forcetypeassert // an index of Events gets Events
		}).
		WithIndex(&corev1.Service{}, "spec.type", func(object client.Object) []string {
			service := object.(*corev1.Service) //nolint:errcheck,forcetypeassert // an index of Services gets Services
			return []string{string(service.Spec.Type)}
		}).WithInterceptorFuncs(interceptor.Funcs{Watch: watchSelected, Delete: deleteExact}).Build()
	clients := cluster.Clients{Cached: c, Live: c}
	leaf := cluster.New(name, liqov1beta1.ClusterID(name), "liqo", clients, watchEvents{c})
	leaf.UID = types.UID("uid-of-" + name)
	return WithSchemas(leaf, networkingSchemas(since12, serviceMetadata, properties{}, properties{}))
}

// deleteExact deletes an object unless it has another UID than the request requires. Other preconditions are the fake
// client's.
func deleteExact(
	ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption,
) error {
	required := (&client.DeleteOptions{}).ApplyOptions(options).Preconditions
	current := object.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy
	err := c.Get(ctx, client.ObjectKeyFromObject(object), current)
	if err == nil && required != nil && required.UID != nil && *required.UID != current.GetUID() {
		return apierrors.NewConflict(schema.GroupResource{}, object.GetName(), errors.New("it has another UID"))
	}
	return c.Delete(ctx, object, options...)
}
