package end

import (
	"slices"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
		for range 2 { // the objects have names in either order
			rome := romesEnd(t, withTunnels(test.reports...)...)
			objects, err := rome.Observe(t.Context())
			if err != nil || objects.Tunnel() != test.expected || len(objects.Tunnels()) != len(test.reports) {
				t.Errorf("%s: it is %q with %d tunnels (%v)", name, objects.Tunnel(), len(objects.Tunnels()), err)
			}
			slices.Reverse(test.reports)
		}
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
	err := romesEnd(t, withTunnels(up, up)...).CheckLimits(t.Context(), liqo.Limits{})
	says(t, err, `the gateway has several tunnels on leaf "rome"`)
	if err == nil || !strings.Contains(err.Error(), "GatewayClient liqo-tenant-milan/milan") {
		t.Errorf("got %v", err)
	}
}
