// Package clustertest makes leaves of controller-runtime's fake client, for tests that need no controller.
package clustertest

import (
	"context"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	discoveryfake "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Leaf returns a leaf of that name and ID that holds these objects. Its cache is never late.
func Leaf(tb testing.TB, name string, objects ...client.Object) *cluster.Leaf {
	tb.Helper()
	c := fake.NewClientBuilder().WithScheme(cluster.NewScheme()).WithRESTMapper(cluster.KnownKinds()).WithObjects(objects...).
		WithStatusSubresource(&networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{},
			&networkingv1beta1.GatewayClient{}, &networkingv1beta1.Connection{}).
		WithIndex(&corev1.Event{}, "involvedObject.uid", func(object client.Object) []string {
			return []string{string(object.(*corev1.Event).InvolvedObject.UID)} //nolint:errcheck,forcetypeassert // an index of Events is given Events
		}).
		WithIndex(&corev1.Event{}, "type", func(object client.Object) []string {
			return []string{object.(*corev1.Event).Type} //nolint:errcheck,forcetypeassert // an index of Events is given Events
		}).Build()
	served := &discoveryfake.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{{
		GroupVersion: networkingv1beta1.GroupVersion.String(),
		APIResources: []metav1.APIResource{
			{Name: networkingv1beta1.WgGatewayServerTemplateResource, Kind: networkingv1beta1.WgGatewayServerTemplateKind},
			{Name: networkingv1beta1.WgGatewayClientTemplateResource, Kind: networkingv1beta1.WgGatewayClientTemplateKind},
		},
	}}}}
	return cluster.New(name, liqov1beta1.ClusterID(name), "liqo", c, c, served, watchEvents{c})
}

// watchEvents are the events of a fake client's watches.
type watchEvents struct{ client client.WithWatch }

// Subscribe implements [cluster.Events].
func (e watchEvents) Subscribe(ctx context.Context, changed func(client.Object), kinds ...client.Object) (func(), error) {
	ctx, unsubscribe := context.WithCancel(ctx)
	for _, kind := range kinds {
		gvk, err := apiutil.GVKForObject(kind, e.client.Scheme())
		if err != nil {
			unsubscribe()
			return nil, err
		}
		gvk.Kind += "List"
		list, err := e.client.Scheme().New(gvk)
		if err != nil {
			unsubscribe()
			return nil, err
		}
		watch, err := e.client.Watch(ctx, list.(client.ObjectList)) //nolint:errcheck,forcetypeassert // its name says so
		if err != nil {
			unsubscribe()
			return nil, err
		}
		go func() {
			defer watch.Stop()
			for {
				select {
				case event := <-watch.ResultChan():
					if object, ok := event.Object.(client.Object); ok {
						changed(object)
					}
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	return unsubscribe, nil
}
