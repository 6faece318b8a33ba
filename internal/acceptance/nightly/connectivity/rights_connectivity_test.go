package connectivity

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

func TestAccPacketsNeedEveryRightOfTheExampleOfARole(t *testing.T) {
	lab := acctest.BorrowReal(t, twoNodes)
	lab.Join(t, "milan", acctest.OverNodePort)
	roles := acctest.RolesIn(t, "connectivity-tests")
	missedLater := []string{ // without them, a test that passes ends as with them
		// only evidence
		"list internalfabrics.networking.liqo.io", "list networkpolicies.networking.k8s.io",
		"list firewallconfigurations.networking.liqo.io",
		"delete leases.coordination.k8s.io", // the Lease expires
	}
	nothing := acctest.Right{}
	for _, taken := range append(acctest.SomeOf(acctest.RightsIn(roles), 3, acctest.NewDice(t)), nothing) {
		name, account := "without the right to "+taken.String(), taken.Account()
		if taken == nothing {
			name, account = "with all rights", "terraform"
		}
		t.Run(name, func(t *testing.T) {
			// Another test was killed, so that all verbs for Leases are needed.
			lab.Have(t, "milan", acctest.Named(&coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
				HolderIdentity: new("dead"), RenewTime: new(metav1.NewMicroTime(time.Now().Add(-time.Hour))),
			}}, "liqo-tenant-rome", "connectivity-test.rome"))
			leaves := map[string]acctest.Leaf{}
			for name, remote := range acctest.Other {
				// The example says how to bind its roles: the second one in a namespace.
				given := acctest.Without(roles, taken)
				pods, ok := given[1].(*rbacv1.ClusterRole)
				if !ok {
					t.Fatalf("the second role is a %T", given[1])
				}
				leaves[name] = lab.ReachedAs(t, name, account, append(acctest.RolesIn(t, "plans"), given[0],
					acctest.Named(&rbacv1.Role{Rules: pods.Rules}, "liqo-tenant-"+remote, pods.Name)))
			}
			packets := 2
			if taken.String() == "watch pods" {
				packets = 100 // a wait asks again without a watch, and gives up only after 15 seconds
			}
			registry := acctest.RegistryOf(t, leaves)
			rome, atRome := registry.Leaf(t.Context(), "rome")
			milan, atMilan := registry.Leaf(t.Context(), "milan")
			err := errors.Join(atRome, atMilan)
			if err == nil {
				_, err = connectivity.New(rome, milan, connectivity.Options{PacketCount: packets, MaxNodes: 1}).Run(t.Context())
			}
			switch said := explain.Summary(err); {
			case taken == nothing && err != nil:
				t.Errorf("the whole role is not enough: %v", err)
			case taken != nothing && !strings.HasPrefix(said, "no permission to "+taken.String()+" on leaf ") &&
				(err != nil || !slices.Contains(missedLater, taken.String())):
				t.Errorf("the error is: %v", err)
			}
		})
	}
}
