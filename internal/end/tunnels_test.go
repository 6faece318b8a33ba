package end

import (
	"slices"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// withTunnels are the objects of Rome's end, whose gateway has a Connection with each of these reports.
func withTunnels(reports ...networkingv1beta1.ConnectionStatus) []client.Object {
	objects := clustertest.ClientEnd("milan", reports[0])
	for i, report := range reports[1:] {
		further := objects[3].DeepCopyObject().(*networkingv1beta1.Connection) //nolint:errcheck,forcetypeassert // it is one
		further.Name += "-" + string(rune('a'+i))
		further.Status = report
		objects = append(objects, further)
	}
	return objects
}

func TestTheStatusOfAGatewayIsThatOfItsWorstTunnel(t *testing.T) {
	const up, failed = networkingv1beta1.Connected, networkingv1beta1.ConnectionError
	const down = networkingv1beta1.Connecting
	now, long := reported(up, 0), reported(up, time.Hour)
	for name, test := range map[string]struct {
		reports  []networkingv1beta1.ConnectionStatus
		expected networkingv1beta1.ConnectionStatusValue
	}{
		"all up":              {[]networkingv1beta1.ConnectionStatus{now, now, now}, up},
		"one down":            {[]networkingv1beta1.ConnectionStatus{now, {Value: down}, now}, down},
		"one without a value": {[]networkingv1beta1.ConnectionStatus{now, {}}, ""},
		"one failed":          {[]networkingv1beta1.ConnectionStatus{{Value: down}, now, {Value: failed}}, failed},
		"one silent":          {[]networkingv1beta1.ConnectionStatus{now, long, now}, down},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the objects have names in either order
				rome := romesEnd(t, withTunnels(test.reports...)...)
				objects, err := rome.Observe(t.Context())
				if err != nil || objects.Tunnel() != test.expected || len(objects.Tunnels()) != len(test.reports) {
					t.Errorf("it is %q with %d tunnels (%v)", objects.Tunnel(), len(objects.Tunnels()), err)
				}
				slices.Reverse(test.reports)
			}
		})
	}
}

func TestTheConnectionOfAFormerGatewayIsNoTunnel(t *testing.T) {
	former := clustertest.Connection("milan", networkingv1beta1.ConnectionError)
	former.Namespace, former.OwnerReferences = "former", []metav1.OwnerReference{{UID: "former"}}
	rome := romesEnd(t, append(withTunnels(reported(networkingv1beta1.Connected, 0)), former)...)
	objects, err := rome.Find(t.Context())
	if err != nil || objects.Tunnel() != networkingv1beta1.Connected || len(objects.Tunnels()) != 1 {
		t.Errorf("it is %q with %d tunnels (%v)", objects.Tunnel(), len(objects.Tunnels()), err)
	}
}

func TestAGatewayThatRestartsHasNoConnectionUntilItsNewPodsMakeOne(t *testing.T) {
	up := reported(networkingv1beta1.Connected, 0)
	rome := romesEnd(t, withTunnels(up, up)...)
	objects, err := rome.Find(t.Context())
	must(t, err)
	must(t, rome.beginRestart(t.Context(), objects, true))
	if objects, err = rome.Find(t.Context()); err != nil || objects.Connection != nil {
		t.Errorf("there is %v (%v)", objects.Connection, err)
	}
}

func TestAGatewayWithSeveralTunnelsCannotBeLimited(t *testing.T) {
	up := reported(networkingv1beta1.Connected, 0)
	must(t, romesEnd(t, withTunnels(up)...).CheckLimits(t.Context(), liqo.Limits{}))
	says(t, romesEnd(t, withTunnels(up, up)...).CheckLimits(t.Context(), liqo.Limits{}),
		`the gateway has several tunnels on leaf "rome"`)
	for _, ports := range [][]any{nil, {int64(51840)}, {int64(51840), int64(51841)}} {
		rome := romesEnd(t, withTunnels(up)...)
		showPorts(clustertest.NextLiqo(rome.Leaf), ports)
		if err := rome.CheckLimits(t.Context(), liqo.Limits{}); (err != nil) != (len(ports) > 1) {
			t.Errorf("with the ports %v: %v", ports, err)
		}
	}
}

// showPorts lets the gateway of a leaf have a list of ports. The types of the leaf's fake client do not have it.
func showPorts(leaf *cluster.Leaf, ports []any) {
	clustertest.On(leaf, "get", func(call clustertest.Call[*unstructured.Unstructured]) error {
		if err := call.Send(); err != nil {
			return err
		}
		return unstructured.SetNestedSlice(call.Object.Object, ports, "spec", "endpoint", "ports")
	})
}
