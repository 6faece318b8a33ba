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
)

// explained returns the objects of Milan's end of its network with Rome, for package explain.
func explained(t *testing.T, objects ...client.Object) explain.Objects {
	t.Helper()
	found, err := milansEnd(t, objects...).Subject().Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTheSubjectHasAllObjectsOfTheNetwork(t *testing.T) {
	key := &networkingv1beta1.PublicKey{ObjectMeta: metav1.ObjectMeta{
		Name: "rome", Namespace: "liqo-tenant-rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"},
	}}
	found := explained(t, clustertest.Configuration("rome"), exposedGateway(), key,
		clustertest.Connection("rome", networkingv1beta1.Connecting))
	if found.Configuration == nil || found.Server == nil || found.Client != nil || found.PublicKey == nil ||
		found.Connection == nil || len(found.Leaving) > 0 {
		t.Errorf("got %+v", found)
	}
	if found.Endpoint == nil || found.Endpoint.Port != 31000 || found.Tunnel != networkingv1beta1.Connecting {
		t.Errorf("the endpoint is %v, the tunnel %q", found.Endpoint, found.Tunnel)
	}
	if found := explained(t); !reflect.DeepEqual(found, explain.Objects{Leaving: found.Leaving}) ||
		len(found.Leaving) > 0 {
		t.Errorf("of nothing there is %+v", found)
	}
}

func TestAnEmptyAddressCannotBeDialled(t *testing.T) {
	if found := explained(t, clustertest.WithoutAddress(exposedGateway())); found.Server == nil ||
		found.Endpoint != nil {
		t.Errorf("the endpoint is %v", found.Endpoint)
	}
}

func TestAConnectionOfAnEarlierGatewayIsIgnored(t *testing.T) {
	earlier := clustertest.Connection("rome", networkingv1beta1.ConnectionError)
	earlier.OwnerReferences[0].UID = "an earlier gateway"
	if found := explained(t, exposedGateway(), earlier); found.Connection == nil || found.Tunnel != "" {
		t.Errorf("the tunnel is %q", found.Tunnel)
	}
	if found := explained(t, clustertest.Connection("rome", networkingv1beta1.ConnectionError)); found.Tunnel != "" {
		t.Errorf("without a gateway, the tunnel is %q", found.Tunnel)
	}
}

func TestAnObjectMarkedForDeletionExplainsAFailedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no controller runs here, so the time runs out at once
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		configuration := clustertest.Configuration("rome")
		configuration.DeletionTimestamp, configuration.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
		milan := clustertest.Leaf(t, "milan", exposedGateway(), configuration)
		err := endAt(milan, "rome").until(ctx, "an end", func(Objects) bool { return false },
			&networkingv1beta1.Configuration{})
		if got := explain.Summary(err); got != `Configuration liqo-tenant-rome/rome is not deleted on leaf "milan"` {
			t.Errorf("got %q:\n%s", got, explain.Detail(err))
		}
		if !strings.HasPrefix(explain.Detail(err), `Time ran out while waiting for an end on "milan".`) {
			t.Errorf("got:\n%s", explain.Detail(err))
		}
	})
}
