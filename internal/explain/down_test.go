package explain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// record is Liqo's ForeignCluster of a cluster whose tunnel is down.
func record(remote string) client.Object {
	record := clustertest.Peering(remote, liqov1beta1.UnknownRole)
	record.Status.Modules.Networking.Conditions = []liqov1beta1.Condition{{
		Type: liqov1beta1.NetworkConnectionStatusCondition, Status: liqov1beta1.ConditionStatusError,
		LastTransitionTime: metav1.NewTime(time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)),
	}}
	return record
}

// downAtRome is Rome's end of a tunnel that is down although all objects are in place.
func downAtRome(t *testing.T) Subject {
	t.Helper()
	objects := append(dialled(networkingv1beta1.ConnectionError), record("milan"))
	return of(clustertest.Leaf(t, "rome", objects...), "milan", objects...)
}

// downAtMilan is Milan's end of the same tunnel. Its gateway runs in that pod.
func downAtMilan(t *testing.T, pod *corev1.Pod) Subject {
	t.Helper()
	return milan(t, append(runningAs(corev1.ServiceTypeNodePort, pod), clustertest.PublicKey("rome"),
		clustertest.Connection("rome", networkingv1beta1.ConnectionError), record("rome"))...)
}

const (
	romeReports = `The gateway of "rome" dials 172.18.0.2, UDP port 31000.
On leaf "rome", Connection liqo-tenant-milan/gw-milan says "Error", since 2026-11-21T12:30:00Z.`
	milanReports = `On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Error", since 2026-11-21T12:30:00Z.`
	bothReport   = romeReports + "\n" + milanReports
)

func TestTheWarningOfATunnelThatIsDownHasWhatTheLeavesShow(t *testing.T) {
	for name, test := range map[string]struct {
		pod      *corev1.Pod // Milan's
		troubles []trouble.ID
		expected string
	}{
		"nothing but that it is down": {readyPod(), []trouble.ID{"tunnel-down"}, bothReport + `

Check that the nodes of "rome" can reach 172.18.0.2, UDP port 31000, ` +
			"and that no firewall or security group at either end drops UDP. " +
			"If they reach \"milan\" at another address, set `server_address` and `server_port` in `client_gateway`, " +
			"or another `service_type` in `server_gateway`."},
		"a pod that crashes": {waitingPod("CrashLoopBackOff", "back-off 10s restarting failed container"),
			[]trouble.ID{"tunnel-down", "gateway-pod-failing"}, bothReport + `

This is why: the gateway's pod does not run on leaf "milan".
Container wireguard of Pod liqo-tenant-rome/gw-rome is waiting (CrashLoopBackOff): ` +
				`back-off 10s restarting failed container.

Its log shows more:

  kubectl -n liqo-tenant-rome logs gw-rome -c wireguard --previous`},
	} {
		t.Run(name, func(t *testing.T) {
			down := Down(t.Context(), downAtRome(t), downAtMilan(t, test.pod))
			if down.Error() != "the tunnel from \"rome\" to \"milan\" is down.\n"+test.expected {
				t.Errorf("%s\nexpected:\n%s", down, test.expected)
			}
			if got := Troubles(down); !slices.Equal(got, test.troubles) || !slices.Equal(trouble.IDs(down), got) {
				t.Errorf("the troubles are %q and %q", got, trouble.IDs(down))
			}
		})
	}
}

// silentEnd returns an end whose gateway has not reported anything for a long time.
func silentEnd(s Subject) Subject {
	objects, err := s.Find(context.Background())
	objects.SilentSince = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	objects.Connection.Status.Value = networkingv1beta1.Connected
	s.Find = func(context.Context) (liqo.Objects, error) { return objects, err }
	return s
}

func TestTheWarningNamesThePodOfAGatewayThatReportsNothing(t *testing.T) {
	const silent = `The gateway of "rome" dials 172.18.0.2, UDP port 31000.
On leaf "rome", the gateway has reported nothing since 2026-11-21T12:00:00Z, ` +
		`though Connection liqo-tenant-milan/gw-milan still says "Connected".
On leaf "milan", the gateway has reported nothing since 2026-11-21T12:00:00Z, ` +
		`though Connection liqo-tenant-rome/gw-rome still says "Connected".

This is why: the gateway reports nothing on leaf "rome".
The gateway has reported nothing since 2026-11-21T12:00:00Z.
Kubernetes calls Pod liqo-tenant-milan/gw-milan on node "" ready.

Check that its node runs, and that the gateway can reach the API server. Its log says more:

  kubectl -n liqo-tenant-milan logs deployment/gw-milan --all-containers

This is why: `
	for name, test := range map[string]struct {
		pod      *corev1.Pod // Milan's
		expected string
		troubles []trouble.ID
	}{
		"whose pod is ready": {readyPod(), `the gateway reports nothing on leaf "milan".
The gateway has reported nothing since 2026-11-21T12:00:00Z.
Kubernetes calls Pod liqo-tenant-rome/gw-rome on node "" ready.

Check that its node runs, and that the gateway can reach the API server. Its log says more:

  kubectl -n liqo-tenant-rome logs deployment/gw-rome --all-containers`,
			[]trouble.ID{"tunnel-down", "gateway-silent"}},
		"whose pod has no image": {
			waitingPod("ErrImagePull", "not found"), `the gateway's image can't be pulled on leaf "milan".
The kubelet can't pull image ghcr.io/liqotech/gateway/wireguard:v1.2.0 of Pod ` +
				`liqo-tenant-rome/gw-rome, container wireguard: not found.

Check that the nodes of leaf "milan" can reach this registry and may pull this image.`,
			[]trouble.ID{"tunnel-down", "gateway-image-not-pulled", "gateway-silent"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			down := Down(t.Context(), silentEnd(downAtRome(t)), silentEnd(downAtMilan(t, test.pod)))
			clustertest.Has(t, down.Detail(), strings.Split(silent+test.expected, "\n\nThis is why: ")...)
			if got := Troubles(down); !slices.Equal(got, test.troubles) {
				t.Errorf("the troubles are %q", got)
			}
		})
	}
}

func TestTheWarningHasAnIncompleteEndOnceAndWithoutAWait(t *testing.T) {
	down := Down(t.Context(), downAtRome(t), milan(t, runningGateway()...))
	if !strings.HasPrefix(down.Detail(),
		romeReports+"\nOn leaf \"milan\", there is no Connection.\n\nCheck that the nodes of \"rome\" can reach") {
		t.Errorf("got:\n%s", down.Detail())
	}
	down = Down(t.Context(), milan(t, runningGateway()...), milan(t, runningGateway()...))
	if strings.Count(down.Detail(), "does not have the key") != 1 || strings.Contains(down.Detail(), "Time ran out") {
		t.Errorf("got:\n%s", down.Detail())
	}
	if got := Troubles(down); !slices.Equal(got, []trouble.ID{"tunnel-down", "gateway-key-missing"}) {
		t.Errorf("the troubles are %q", got)
	}
}

func TestAnEndThatCannotBeReadDoesNotHideTheOther(t *testing.T) {
	unread := milan(t)
	unread.Find = func(context.Context) (liqo.Objects, error) {
		return liqo.Objects{}, errors.New("no cache")
	}
	if down := Down(t.Context(), downAtRome(t), unread); !strings.HasPrefix(down.Detail(), romeReports+"\n\nCheck that") {
		t.Errorf("got:\n%s", down.Detail())
	}
}
