package cluster

import (
	"context"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// empty is a cache that is never filled, as that of a kind whose list is refused.
type empty struct {
	cache.Cache
	cache.Informer
}

func (e empty) GetInformerForKind(
	context.Context, schema.GroupVersionKind, ...cache.InformerGetOption,
) (cache.Informer, error) {
	return e, nil
}

func (empty) HasSynced() bool { return false }

func TestAReadOfAKindThatIsRefusedEndsWithTheRefusalAndTheLeafStays(t *testing.T) {
	health := newHealth()
	limits := &networkingv1beta1.FirewallConfiguration{}
	rules := schema.GroupResource{Group: networkingv1beta1.GroupVersion.Group, Resource: "firewallconfigurations"}
	health.of(kindOf(limits)).report(kindOf(limits), apierrors.NewForbidden(rules, "", nil))
	reader := promptCache{empty{}, NewScheme(), health}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := reader.Get(ctx, client.ObjectKey{Namespace: "a", Name: "b"}, limits)
	if !apierrors.IsForbidden(err) || ctx.Err() != nil {
		t.Errorf("got %v", err)
	}
	waiting, end := health.watch(ctx, &networkingv1beta1.Configuration{}, limits)
	defer end()
	<-waiting.Done()
	if !apierrors.IsForbidden(context.Cause(waiting)) || ctx.Err() != nil || health.err() != nil {
		t.Errorf("a wait for it ended with %v, the leaf with %v", context.Cause(waiting), health.err())
	}
}
