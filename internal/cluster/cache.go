package cluster

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// cachedKinds are the kinds that every shortcut reads. Their caches start together with the leaf. The cache of any
// other kind starts when it is first needed.
func cachedKinds() []client.Object {
	return []client.Object{
		&networkingv1beta1.Configuration{},
		&networkingv1beta1.GatewayServer{},
		&networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{},
		&networkingv1beta1.Connection{},
	}
}

// cacheOptions restrict the cache to objects of a remote cluster, and report failed watches to health.
func cacheOptions(
	httpClient *http.Client, scheme *runtime.Scheme, mapper meta.RESTMapper, health *health,
) cache.Options {
	hasRemoteCluster, err := labels.NewRequirement(consts.RemoteClusterID, selection.Exists, nil)
	utilruntime.Must(err) // a constant label
	return cache.Options{
		HTTPClient:           httpClient,
		Scheme:               scheme,
		Mapper:               mapper,
		DefaultLabelSelector: labels.NewSelector().Add(*hasRemoteCluster),
		DefaultTransform:     cache.TransformStripManagedFields(),
		DefaultWatchErrorHandler: func(_ context.Context, reflector *toolscache.Reflector, err error) {
			health.of(reflector.TypeDescription()).report(reflector.TypeDescription(), err)
		},
	}
}

// promptCache can be used as soon as it is filled. The first use of a kind is otherwise waited for in steps of 100 ms,
// see [untilSynced].
type promptCache struct {
	cache.Cache

	scheme *runtime.Scheme
	health *health
}

// Get implements [client.Reader].
func (c promptCache) Get(
	ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	if _, err := c.filled(ctx, object); err != nil {
		return err
	}
	return c.Cache.Get(ctx, key, object, options...)
}

// List implements [client.Reader].
func (c promptCache) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if _, err := c.filled(ctx, list); err != nil {
		return err
	}
	return c.Cache.List(ctx, list, options...)
}

// filled returns the informer of the object's or list's kind when its cache is filled, or the error that prevents it.
func (c promptCache) filled(ctx context.Context, list runtime.Object) (cache.Informer, error) {
	kind, err := apiutil.GVKForObject(list, c.scheme)
	if err != nil {
		return nil, err
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	informer, err := c.GetInformerForKind(ctx, kind, cache.BlockUntilSynced(false))
	if err != nil || informer.HasSynced() {
		return informer, err
	}
	watched, err := c.scheme.New(kind)
	if err != nil {
		return nil, err
	}
	object := watched.(client.Object) //nolint:errcheck,forcetypeassert // the kinds of caches are those of objects
	ctx, cancel := c.health.watch(ctx, object)
	defer cancel()
	err = untilSynced(ctx, []cache.Informer{informer})
	return informer, cmp.Or(c.health.err(), c.health.of(kindOf(object)).err(), err)
}

// informerEvents implements [Events] with the informers of a controller-runtime cache.
type informerEvents struct {
	objects promptCache
}

// Subscribe implements [Events]. It starts the caches that do not run yet and waits until each one is filled.
func (e informerEvents) Subscribe(
	ctx context.Context, changed func(client.Object), kinds ...client.Object,
) (func(), error) {
	var unsubscribe []func()
	all := func() {
		for _, f := range unsubscribe {
			f()
		}
	}
	handler := toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { notify(changed, object) },
		UpdateFunc: func(_, object any) { notify(changed, object) },
		DeleteFunc: func(object any) { notify(changed, object) },
	}
	for _, kind := range kinds {
		informer, err := e.objects.filled(ctx, kind)
		if err != nil {
			all()
			return nil, err
		}
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			all()
			return nil, err
		}
		unsubscribe = append(unsubscribe, func() { _ = informer.RemoveEventHandler(registration) })
	}
	return all, nil
}

// notify unwraps the last known state of an object if the informer missed its deletion.
func notify(changed func(client.Object), object any) {
	if unknown, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	if object, ok := object.(client.Object); ok {
		changed(object)
	}
}
