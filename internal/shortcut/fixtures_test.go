package shortcut

import (
	"errors"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

var (
	me       = owner.Owner{Token: "me", Origin: owner.Origin{Directory: "mine"}}
	somebody = owner.Owner{Token: "somebody", Origin: owner.Origin{CreatedBy: "alice@ci", Directory: "theirs"}}
)

var (
	up     = networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected}
	failed = networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.ConnectionError}
)

var overNodePort = Spec{
	TunnelSettings: liqo.TunnelSettings{MTU: 1340},
	Server:         liqo.GatewaySettings{Role: liqo.ServerRole, ServiceType: corev1.ServiceTypeNodePort, Port: 51840},
}.shareSettings()

// ranges are the address ranges of a leaf with that pod CIDR, as Liqo's IPAM has them.
func ranges(podCIDR string) []client.Object {
	return clustertest.Ranges(podCIDR, "10.70.0.0/16")
}

// romeAndMilan are two leaves whose ranges do not overlap. A stand-in for Liqo reacts on them.
func romeAndMilan(t *testing.T) (rome, milan *cluster.Leaf) {
	t.Helper()
	return liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...), liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...)
}

// leafWith is a leaf with address ranges and these objects.
func leafWith(t *testing.T, name string, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, name, append(ranges("10.0.0.0/16"), objects...)...)
}

func ours[T client.Object](object T) T { owner.Owner{}.Mark(object); return object }

// byProvider marks objects as created by this provider.
func byProvider(objects []client.Object) []client.Object {
	for _, object := range objects {
		if _, seen := object.(*networkingv1beta1.Connection); !seen {
			owner.Owner{}.Mark(object)
		}
	}
	return objects
}

// exposedGateway is Milan's gateway for Rome after Liqo has reacted to it.
func exposedGateway() *networkingv1beta1.GatewayServer {
	return ours(clustertest.WireGuard(clustertest.GatewayServer("rome", 51840)))
}

// romesNamespace is Milan's tenant namespace for Rome, of that owner.
func romesNamespace(self owner.Owner) *corev1.Namespace {
	namespace := clustertest.TenantNamespace("rome")
	self.Mark(namespace)
	return namespace
}

// annotate sets one annotation of this provider.
func annotate(object client.Object, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[owner.ManagedBy+"/"+key] = value
	object.SetAnnotations(annotations)
}

// ownedByAnother reports whether an error means that another resource instance owns what this one needs.
func ownedByAnother(err error) bool {
	_, ok := errors.AsType[*otherOwnerError](err)
	return ok
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
