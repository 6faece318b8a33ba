package shortcut

import (
	"errors"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// firstWriteFails lets the first write of each kind to each object of a leaf fail.
func firstWriteFails(leaf *cluster.Leaf, failure error) {
	var failed sync.Map
	clustertest.On(leaf, "apply patch delete", func(call clustertest.Call[client.Object]) error {
		if _, again := failed.LoadOrStore(call.Verb+leaf.Describe(call.Object), true); !again {
			return failure
		}
		return call.Send()
	})
}

func TestAShortcutIsCreatedAndRemovedAlthoughEveryFirstWriteFails(t *testing.T) {
	for name, failure := range map[string]error{
		"with a conflict": apierrors.NewConflict(schema.GroupResource{Resource: "objects"}, "one",
			errors.New("the object has been modified")),
		"because nothing answers": &url.Error{
			Op: "Patch", URL: "https://leaf.example:6443/apis", Err: syscall.ECONNREFUSED,
		},
		"because of too many requests": apierrors.NewTooManyRequests("later", 1),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rome, milan := romeAndMilan(t)
				firstWriteFails(rome, failure)
				firstWriteFails(milan, failure)
				s := New(rome, milan).OwnedBy(me)
				must(t, s.Connect(t.Context(), overNodePort))
				if state, err := s.Observe(t.Context()); err != nil || !state.Joined {
					t.Errorf("it is %+v (%v)", state, err)
				}
				must(t, s.Disconnect(t.Context(), Removal{}))
				if state, err := s.Observe(t.Context()); err != nil || state.Exists || state.Joined {
					t.Errorf("there is left %+v (%v)", state, err)
				}
				for _, leaf := range []*cluster.Leaf{rome, milan} {
					if lease, err := leaf.Leased(t.Context(), leaseName(s.first())); lease != nil || err != nil {
						t.Errorf("a lease is left: %v (%v)", lease, err)
					}
				}
			})
		})
	}
}
