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
)

// explained returns the objects of Milan's end of its network with Rome, for package explain.
func explained(t *testing.T, objects ...client.Object) liqo.Objects {
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
	if found.Configuration == nil || found.GatewayServer == nil || found.GatewayClient != nil || found.PublicKey == nil ||
		found.Connection == nil {
		t.Errorf("got %+v", found)
	}
	endpoint, tunnel := found.EndpointStatus(), found.ConnectionStatus(found.Gateway())
	if endpoint == nil || endpoint.Port != 31000 || tunnel != networkingv1beta1.Connecting {
		t.Errorf("the endpoint is %v, the tunnel %q", endpoint, tunnel)
	}
	if found := explained(t); !reflect.DeepEqual(found, liqo.Objects{}) {
		t.Errorf("of nothing there is %+v", found)
	}
}

func TestAnEmptyAddressCannotBeDialled(t *testing.T) {
	if found := explained(t, clustertest.WithoutAddress(exposedGateway())); found.GatewayServer == nil ||
		found.EndpointStatus() != nil {
		t.Errorf("the endpoint is %v", found.EndpointStatus())
	}
}

func TestAConnectionOfAnEarlierGatewayIsIgnored(t *testing.T) {
	earlier := clustertest.Connection("rome", networkingv1beta1.ConnectionError)
	earlier.OwnerReferences[0].UID = "an earlier gateway"
	if found := explained(t, exposedGateway(), earlier); found.Connection == nil ||
		found.ConnectionStatus(found.Gateway()) != "" {
		t.Errorf("the tunnel is %q", found.ConnectionStatus(found.Gateway()))
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
