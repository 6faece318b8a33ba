package end

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// exposedGateway is Milan's gateway for Rome after Liqo has reacted to it.
func exposedGateway() *networkingv1beta1.GatewayServer {
	return ours(clustertest.WireGuard(clustertest.GatewayServer("rome", 51840)))
}

// endAt is the end on a leaf of its network with another cluster.
func endAt(leaf *cluster.Leaf, remote string) *End {
	return New(leaf, Remote{Name: remote, ID: liqov1beta1.ClusterID(remote)})
}

// milansEnd and romesEnd are the two ends of a network. Each leaf has these objects.
func milansEnd(tb testing.TB, objects ...client.Object) *End {
	tb.Helper()
	return endAt(clustertest.Leaf(tb, "milan", objects...), "rome")
}

func romesEnd(tb testing.TB, objects ...client.Object) *End {
	tb.Helper()
	return endAt(clustertest.Leaf(tb, "rome", objects...), "milan")
}

// ranges are the address ranges of a leaf, as Liqo's IPAM has them.
func ranges() []client.Object {
	return clustertest.Ranges("10.0.0.0/16", "10.70.0.0/16")
}

// romesNetworks is what Milan is told of Rome.
var romesNetworks = liqo.Ranges{PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.71.0.0/16"}

var (
	me       = owner.Owner{Token: "me", Origin: owner.Origin{Directory: "mine"}}
	somebody = owner.Owner{Token: "somebody", Origin: owner.Origin{CreatedBy: "alice@ci", Directory: "theirs"}}
)

func ours[T client.Object](object T) T { owner.Owner{}.Mark(object); return object }

// romesNamespace is Milan's tenant namespace for Rome, of that owner.
func romesNamespace(self owner.Owner) *corev1.Namespace {
	namespace := clustertest.TenantNamespace("rome")
	self.Mark(namespace)
	return namespace
}

// following is the intent of a gateway with these settings that has to fit a change.
func following(settings liqo.GatewaySettings) Intent {
	return Intent{Namespace: new(string), Gateway: &settings, Follows: true}
}

// overNodePort is the settings that [clustertest.GatewayServer] is made of.
func overNodePort() liqo.GatewaySettings {
	return liqo.GatewaySettings{
		Role:           liqo.ServerRole,
		TunnelSettings: liqo.TunnelSettings{MTU: 1340}, ServiceType: corev1.ServiceTypeNodePort, Port: 51840,
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// says checks the headline that users read of an error, and parts of the text below it. An empty headline is that of no
// error.
func says(t *testing.T, err error, headline string, parts ...string) {
	t.Helper()
	if got := explain.Summary(err); got != headline || (err == nil) != (headline == "") {
		t.Errorf("the headline is %q (%v)", got, err)
	}
	if err != nil {
		clustertest.Has(t, explain.Detail(err), parts...)
	}
}

// found are the objects of the network in the leaf's cache.
func found(t *testing.T, e *End) liqo.Objects {
	t.Helper()
	objects, err := e.Find(t.Context())
	must(t, err)
	return objects
}

// reread reads an object of a leaf again.
func reread[T client.Object](t *testing.T, e *End, object T) T {
	t.Helper()
	must(t, e.Leaf.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(object), object))
	return object
}

// untilTimeIsUp gives a wait a minute. No controller runs, so the time of what does not end at once runs out at once.
func untilTimeIsUp(t *testing.T, wait func(ctx context.Context, t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wait(ctx, t)
	})
}
