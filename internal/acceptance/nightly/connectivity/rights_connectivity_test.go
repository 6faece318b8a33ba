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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// missedLater are the rights without which a test that passes ends as with them.
var missedLater = []string{
	// only evidence
	"list internalfabrics.networking.liqo.io", "list networkpolicies.networking.k8s.io",
	"list firewallconfigurations.networking.liqo.io",
	"delete leases.coordination.k8s.io", // the Lease expires
}

func TestAccPacketsNeedEveryRightOfTheExampleOfARole(t *testing.T) {
	lab := acctest.BorrowReal(t, twoNodes)
	lab.Join(t, "milan", acctest.OverNodePort)
	roles := acctest.RolesIn(t, "connectivity-tests")
	const fewRights = 3
	nothing := acctest.Right{}
	for _, taken := range append(acctest.SomeOf(acctest.RightsIn(roles), fewRights, acctest.NewDice(t)), nothing) {
		name, account := "without the right to "+taken.String(), taken.Account()
		if taken == nothing {
			name, account = "with all rights", "terraform"
		}
		t.Run(name, func(t *testing.T) {
			// Another test was killed, so that all verbs for Leases are needed.
			lab.Have(t, "milan", &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "connectivity-test.rome"},
				Spec: coordinationv1.LeaseSpec{
					HolderIdentity: new("dead"), RenewTime: new(metav1.NewMicroTime(time.Now().Add(-time.Hour))),
				},
			})
			leaves := map[string]acctest.Leaf{}
			for name, remote := range map[string]string{"rome": "milan", "milan": "rome"} {
				given := boundIn(t, "liqo-tenant-"+remote, acctest.Without(roles, taken))
				leaves[name] = lab.ReachedAs(t, name, account, append(acctest.RolesIn(t, "plans"), given...))
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
				_, err = connectivity.New(rome, milan, connectivity.Options{Packets: packets, Nodes: 1}).Run(t.Context())
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

// boundIn returns the roles of the example as it says how to bind them: the second one in a namespace.
func boundIn(t *testing.T, namespace string, roles []client.Object) []client.Object {
	t.Helper()
	pods, ok := roles[1].(*rbacv1.ClusterRole)
	if !ok {
		t.Fatalf("the second role is a %T", roles[1])
	}
	return []client.Object{roles[0], &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pods.Name}, Rules: pods.Rules,
	}}
}
