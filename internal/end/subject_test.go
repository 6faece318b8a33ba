package end

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// explained returns the objects of Milan's end of its network with Rome, for package explain.
func explained(t *testing.T, objects ...client.Object) liqo.Objects {
	t.Helper()
	observed, err := milansEnd(t, objects...).Subject().Find(t.Context())
	must(t, err)
	return observed
}

func TestTheSubjectHasAllObjectsOfTheNetwork(t *testing.T) {
	key := &networkingv1beta1.PublicKey{ObjectMeta: metav1.ObjectMeta{
		Name: "rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
	}}
	observed := explained(t, clustertest.Configuration("rome"), exposedGateway(), key,
		clustertest.Connection("rome", networkingv1beta1.Connecting))
	if observed.Configuration == nil || observed.GatewayAs(liqo.ServerRole) == nil ||
		observed.PublicKey == nil || observed.Connection == nil {
		t.Errorf("got %+v", observed)
	}
	endpoint, tunnel := observed.Endpoint(), observed.Tunnel()
	if endpoint == nil || endpoint.Port != 31000 || tunnel != networkingv1beta1.Connecting {
		t.Errorf("the endpoint is %v, the tunnel %q", endpoint, tunnel)
	}
	if observed := explained(t); !reflect.DeepEqual(observed, liqo.Objects{}) {
		t.Errorf("of nothing there is %+v", observed)
	}
}

func TestAnEmptyAddressCannotBeDialled(t *testing.T) {
	if observed := explained(t, clustertest.WithoutAddress(exposedGateway())); observed.Gateway == nil ||
		observed.Endpoint() != nil {
		t.Errorf("the endpoint is %v", observed.Endpoint())
	}
}

func TestAConnectionOfAnEarlierGatewayIsIgnored(t *testing.T) {
	earlier := clustertest.Connection("rome", networkingv1beta1.ConnectionError)
	earlier.OwnerReferences[0].UID = "an earlier gateway"
	if observed := explained(t, exposedGateway(), earlier); observed.Connection == nil ||
		observed.Tunnel() != "" {
		t.Errorf("the tunnel is %q", observed.Tunnel())
	}
}

func TestAnObjectMarkedForDeletionExplainsAFailedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no controller runs here, so the time runs out at once
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		configuration := clustertest.Configuration("rome")
		configuration.DeletionTimestamp, configuration.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
		milan := clustertest.Leaf(t, "milan", exposedGateway(), configuration)
		err := endAt(milan, "rome").until(ctx, "an end", func(liqo.Objects) bool { return false },
			&networkingv1beta1.Configuration{})
		if got := explain.Summary(err); got != `Configuration liqo-tenant-rome/rome is not deleted on leaf "milan"` {
			t.Errorf("got %q:\n%s", got, explain.Detail(err))
		}
		if !strings.HasPrefix(explain.Detail(err), `Time ran out while waiting for an end on "milan".`) {
			t.Errorf("got:\n%s", explain.Detail(err))
		}
	})
}

func TestOnlyTheSubjectOfAResourceOfOneEndIsAlone(t *testing.T) {
	for _, resource := range []owner.Resource{"", owner.GatewayServerResource} {
		milan := milansEnd(t)
		milan.Owner.Resource = resource
		if alone := milan.Subject().Alone; alone != (resource != "") {
			t.Errorf("of %q, the subject is alone: %t", resource, alone)
		}
	}
}
