package end

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestTheKeyOfANewGatewayIsKnownWhenLiqoCreatesIt(t *testing.T) {
	gateway := clustertest.GatewayClient("milan")
	gateway.UID = "new"
	keysOf := func(uid types.UID, key string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: gateway.Namespace, Name: "gw-milan",
				OwnerReferences: []metav1.OwnerReference{{Kind: "GatewayClient", Name: "milan", UID: uid}},
			},
			Data: map[string][]byte{consts.PublicKeyField: []byte(key)},
		}
	}
	for name, test := range map[string]struct {
		secret *corev1.Secret
		denied bool // to watch
		early  bool // known before Liqo reports it
	}{
		"of this gateway":          {keysOf("new", "the key"), false, true},
		"of a former gateway":      {keysOf("former", "the key"), false, false},
		"without the right to see": {keysOf("new", "the key"), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rome := romesEnd(t)
				if test.denied {
					rome.Leaf.Live = interceptor.NewClient(rome.Leaf.Live, interceptor.Funcs{Watch: func(
						context.Context, client.WithWatch, client.ObjectList, ...client.ListOption,
					) (watch.Interface, error) {
						return nil, apierrors.NewForbidden(corev1.Resource("secrets"), "gw-milan", nil)
					}})
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				keys, err := rome.WatchKey(ctx, gateway.Namespace)
				must(t, err)
				synctest.Wait()
				made := gateway.DeepCopy()
				must(t, rome.Leaf.Live.Create(ctx, made))
				must(t, rome.Leaf.Live.Create(ctx, test.secret.DeepCopy()))
				known := make(chan []byte, 1)
				go func() {
					key, err := rome.WaitForKey(ctx, EnsuredGateway{Object: made, New: true, KeyWatch: keys})
					if err != nil {
						t.Error(err)
					}
					known <- key
				}()
				synctest.Wait()
				if early := len(known) > 0; early != test.early {
					t.Errorf("it is known before Liqo reports it: %t", early)
				}
				made.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-milan"}
				must(t, rome.Leaf.Live.Status().Update(ctx, made))
				if key := <-known; !slices.Equal(key, []byte("the key")) {
					t.Errorf("the key is %q", key)
				}
			})
		})
	}
}

func TestTheKeyOfAnExistingGatewayIsNotWatched(t *testing.T) {
	keys, err := romesEnd(t, clustertest.GatewayClient("milan")).WatchKey(t.Context(), "liqo-tenant-milan")
	if err != nil || keys != nil {
		t.Errorf("got %v (%v)", keys, err)
	}
}
