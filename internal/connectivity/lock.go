package connectivity

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// A Lease lets only one test at a time run between two leaves. So tests do not disturb each other's figures, and the
// pods that a test finds are those of a dead one. It is on the leaf whose cluster ID comes first.

// lock waits until no other test runs between the leaves. The returned context ends when the lock is lost.
func (t *Test) lock(ctx context.Context) (_ context.Context, release func(), err error) {
	s := t.client
	if t.server.Leaf.ID < s.Leaf.ID {
		s = t.server
	}
	name := fmt.Sprintf("%s.%s", component, s.Remote.ID)
	var busy string
	locked, lose := context.WithCancelCause(cluster.WithFence(ctx))
	lease, err := s.Leaf.Hold(locked, cluster.LeaseRequest{
		Name: name, Namespace: s.namespace(), Holder: owner.ManagedBy,
		Mark: func(lease client.Object) {
			lease.SetLabels(s.labels)
			lease.SetOwnerReferences([]metav1.OwnerReference{s.ownedByGateway()})
		},
		Waiting: func(holder string) {
			busy = holder
			t.tell("Waiting for another test between the two leaves.")
		},
		Lost: func(err error) { lose(err) },
	})
	if err != nil {
		lose(nil)
		if busy != "" && errors.Is(err, context.DeadlineExceeded) {
			err = &trouble.Problem{
				ID: "another-test-running", Leaf: s.Leaf.Name, Err: err,
				Summary: fmt.Sprintf("another test with %q has not ended", s.Remote.Name),
				Advice: fmt.Sprintf("Lease %s/%s is held by %s. Wait until that test has ended, then apply again. If it was "+
					"killed, the Lease expires within seconds.", s.namespace(), name, trouble.Shown(busy)),
			}
		}
		return nil, nil, err
	}
	return locked, func() {
		_ = lease.Release(ctx) // one that can't be released expires
		lose(nil)
	}, nil
}

// ownedByGateway makes an object go with the gateway, should nobody remove it before.
func (s *station) ownedByGateway() metav1.OwnerReference {
	gateway := s.objects.Gateway
	return metav1.OwnerReference{
		APIVersion: s.kind.GroupVersion().String(), Kind: s.kind.Kind, Name: gateway.GetName(), UID: gateway.GetUID(),
	}
}
