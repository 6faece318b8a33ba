package connectivity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

// kubelet decides what becomes of a pod that is created, or of a container that it gets.
type kubelet func(pod *corev1.Pod, added *corev1.EphemeralContainer) error

// newLeaf returns a leaf with a network, whose nodes run pods.
func newLeaf(t *testing.T, name, remote string, run kubelet, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	gateway := clustertest.GatewayServer(remote, 51840)
	gateway.UID = "gateway"
	deployment := clustertest.GatewayDeployment(remote)
	deployment.Spec.Template.Spec.Containers = []corev1.Container{{Image: "ghcr.io/liqotech/gateway:v1.2.0"}}
	leaf := clustertest.Leaf(t, name, append(objects, gateway, deployment,
		clustertest.Connection(remote, networkingv1beta1.Connected),
		clustertest.Remapped(remote, "10.71.0.0/16", "10.68.0.0/16"), newNode(name+"-1"), newNode(name+"-2"))...)
	clustertest.On(leaf, "create", func(call clustertest.Call[*corev1.Pod]) error {
		if err := run(call.Object, nil); err != nil {
			return err
		}
		return call.Send()
	})
	clustertest.On(leaf, "subresource", func(call clustertest.Call[*corev1.Pod]) error {
		pod := call.Object
		added := &pod.Spec.EphemeralContainers[len(pod.Spec.EphemeralContainers)-1]
		if err := run(pod, added); err != nil {
			return err
		}
		status := pod.Status
		if err := call.Client.Update(call.Context, pod); err != nil {
			return err
		}
		pod.Status = status
		return call.Client.Status().Update(call.Context, pod)
	})
	return leaf
}

func newNode(name string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return node
}

// run runs a test between Rome and Milan, whose nodes run pods in these ways. It leaves no pod.
func run(ctx context.Context, t *testing.T, inRome, inMilan kubelet, options Options) (Result, error) {
	t.Helper()
	rome, milan := newLeaf(t, "rome", "milan", inRome), newLeaf(t, "milan", "rome", inMilan)
	result, err := New(rome, milan, options).Run(ctx)
	left := append(podsOn(t, rome), podsOn(t, milan)...) //nolint:contextcheck // ctx may have ended
	if len(left) > 0 {
		t.Errorf("%q stay", left)
	}
	return result, err
}

// healthy runs every pod: a listener gets an address, and a prober reaches all pods.
func healthy(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
	if added == nil {
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0." + pod.Name[len(pod.Name)-1:]}
		return nil
	}
	var report strings.Builder
	for _, address := range added.Command[8:] {
		fmt.Fprintf(&report, "pod %s 10 10 10 0.1/0.2/0.3/0.1\nlargest %s 1340 15\n", address, address)
	}
	says(pod, added, report.String()+"end\n")
	return nil
}

// lossy runs every pod, and lets probers and all that looks again reach nothing.
func lossy(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
	switch {
	case added != nil:
		says(pod, added, "pod 10.71.0.1 5 0 0 -\nsilent 10.71.0.1 20\npod 10.71.0.2 5 0 0 -\nsilent 10.71.0.2 20\nend")
	case hasNoRoute(pod):
		ended(pod, corev1.PodSucceeded, "pod 10.71.0.1 5 0 0 -\npod 10.71.0.2 5 0 0 -\nend")
	default:
		return healthy(pod, nil)
	}
	return nil
}

// hasNoRoute reports whether Liqo makes no route to a pod.
func hasNoRoute(pod *corev1.Pod) bool {
	return pod.Labels[consts.LocalPodLabelKey] == consts.LocalPodLabelValue
}

// failedAs lets each pod fail in this way.
func failedAs(reason, message string) kubelet {
	return func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
		pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: reason, Message: message}
		return nil
	}
}

// probing runs every pod, and does this when a pod becomes a prober.
func probing(do func(pod *corev1.Pod, added *corev1.EphemeralContainer)) kubelet {
	return func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
		if added == nil {
			return healthy(pod, nil)
		}
		do(pod, added)
		return nil
	}
}

// says makes a container that a pod has got end with a message.
func says(pod *corev1.Pod, added *corev1.EphemeralContainer, message string) {
	pod.Status.EphemeralContainerStatuses = append(pod.Status.EphemeralContainerStatuses, corev1.ContainerStatus{
		Name:  added.Name,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: message}},
	})
}

func ended(pod *corev1.Pod, phase corev1.PodPhase, message string) {
	pod.Status = corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{
		Name: mainContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: message}},
	}}}
}

// unpullable pulls no image.
func unpullable(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
	waiting := &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image: not found"}
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Image: pod.Spec.Containers[0].Image, State: corev1.ContainerState{Waiting: waiting},
	}}}
	return nil
}

func podsOn(t *testing.T, leaf *cluster.Leaf) []string {
	t.Helper()
	var pods corev1.PodList
	must(t, leaf.Clients().Live.List(t.Context(), &pods))
	var names []string
	for i := range pods.Items {
		names = append(names, pods.Items[i].Name)
	}
	return names
}

func TestATestReachesEveryNodeFromEveryNodeAndLeavesNoPod(t *testing.T) {
	result, err := run(t.Context(), t, healthy, healthy, Options{PacketCount: 10})
	if err != nil || len(result.Faults) > 0 || result.PathMTU() != 1340 {
		t.Fatalf("got %v, MTU %d, %v", result.Faults, result.PathMTU(), err)
	}
	var paths []string
	for _, path := range result.Paths {
		paths = append(paths, fmt.Sprintf("%s %s %s %d", path.From.Node, path.To.Node, path.Address, path.Answered))
	}
	want := []string{
		"rome-1 milan-1 10.71.0.1 10", "rome-1 milan-2 10.71.0.2 10", "rome-2 milan-1 10.71.0.1 10",
		"rome-2 milan-2 10.71.0.2 10", "milan-1 rome-1 10.71.0.1 10", "milan-1 rome-2 10.71.0.2 10",
		"milan-2 rome-1 10.71.0.1 10", "milan-2 rome-2 10.71.0.2 10",
	}
	if !slices.Equal(paths, want) {
		t.Errorf("got %q", paths)
	}
}

func TestAPodToWhichLiqoMakesNoRouteTellsWhatComesPastTheOverlay(t *testing.T) {
	rome := newLeaf(t, "rome", "milan", func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
		message := "pod 10.71.0.1 5 5 5 0.1/0.2/0.3/0.1\nend"
		if !hasNoRoute(pod) {
			message = "pod 10.71.0.1 5 0 0 -\nend"
		}
		if pod.Spec.NodeName == "second" {
			message = "error no ping"
		}
		ended(pod, corev1.PodSucceeded, message)
		return nil
	})
	s := newScene(t).client
	s.Leaf, s.detours = rome, nil
	s.detour(t.Context())
	way := way{from: s, to: s, source: 0, target: 0}
	if !way.detour().lasts() {
		t.Errorf("got %+v", way.detour())
	}
	if way.source = 1; way.detour().Sent > 0 {
		t.Errorf("a pod that says nothing: got %+v", way.detour())
	}
}

func TestATestThatCannotRunSaysWhyAndLeavesNoPod(t *testing.T) {
	for name, test := range map[string]struct {
		inMilan kubelet
		want    []string
	}{
		"an image that can't be pulled": {
			unpullable, []string{`the test's image can't be pulled on leaf "milan"`, "ghcr.io/liqotech/gateway:v1.2.0"},
		},
		"a policy that refuses pods": {
			func(*corev1.Pod, *corev1.EphemeralContainer) error {
				return errors.New("admission webhook denied the request")
			},
			[]string{"admission webhook denied the request"},
		},
		"an image with another ping": {
			probing(func(pod *corev1.Pod, added *corev1.EphemeralContainer) {
				says(pod, added, "error ping: unrecognized option: M\nBusyBox v1.36.1\n\nUsage: ping HOST\n")
			}),
			[]string{
				`the test's image lacks the ping of iputils on leaf "milan"`,
				":v1.2.0: \n  | ping: unrecognized option: M\n  | BusyBox v1.36.1\n  | Usage: ping HOST\n\nThe image needs",
			},
		},
		"an image without a shell": {
			func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
				ended(pod, corev1.PodFailed, `exec: "sh": executable file not found in $PATH: unknown`)
				return nil
			},
			[]string{`the test's image lacks a shell on leaf "milan"`},
		},
		"a node that refuses the pod": {
			failedAs("SysctlForbidden", "forbidden sysctl"),
			[]string{"SysctlForbidden: forbidden sysctl", "net.ipv4.ping_group_range"},
		},
		"a node without room": {
			failedAs("OutOfcpu", "Pod was rejected: no CPU"),
			[]string{`on node "milan-1", with image ghcr.io/liqotech/gateway:v1.2.0: OutOfcpu: Pod was rejected: no CPU.` +
				"\n\nFree capacity on this node, or cordon it: the test leaves out cordoned nodes. A pod requests 10m of CPU " +
				"and 16Mi of memory."},
		},
		"a node that evicts a prober": {
			probing(func(pod *corev1.Pod, added *corev1.EphemeralContainer) {
				ended(pod, corev1.PodFailed, "")
				says(pod, added, "mtu 1500\n")
				pod.Status.Reason, pod.Status.Message = "Evicted", "The node was low on resource: memory."
			}),
			[]string{"Evicted: The node was low on resource: memory.\n\nFree capacity on this node"},
		},
		"a node that shuts down": {
			failedAs("NodeShutdown", "Pod was rejected"),
			[]string{"NodeShutdown: Pod was rejected.\n\nCheck this node, or cordon it: the test leaves out cordoned nodes."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := run(ctx, t, healthy, test.inMilan, Options{PacketCount: 10})
				if err == nil {
					t.Fatal("it ran")
				}
				clustertest.Has(t, explain.Summary(err)+"\n"+explain.Detail(err), test.want...)
			})
		})
	}
}

func TestATestThatLosesPacketsLooksFurtherAndLeavesNoPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		result, err := run(t.Context(), t, lossy, lossy, Options{PacketCount: 5, Progress: into(&told)})
		want := `Unknown: packets between "rome" and "milan" get lost between the nodes of the two leaves`
		if got := places(result.Faults); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, %v", got, err)
		}
		if !slices.Equal(told, []string{
			`Starting pods on 2 nodes of "rome" and 2 nodes of "milan".`,
			`The pods run, after 0s. They send packets to each other.`,
			`Packets get lost. Pods without a route start, and the gateways report their tunnel again.`,
			`The other pods look again.`, `The pods end, and say what has arrived.`,
		}) {
			t.Errorf("it tells:\n%s", strings.Join(told, "\n"))
		}
	})
}

// into adds the steps that a test tells to a list.
func into(told *[]string) func(string) { return func(step string) { *told = append(*told, step) } }

func TestATestSaysForWhichNodesItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		slow := func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
			if pod.Spec.NodeName == "rome-2" && added == nil {
				<-time.After(25 * time.Second)
			}
			return healthy(pod, added)
		}
		_, err := run(t.Context(), t, slow, healthy, Options{PacketCount: 10, Progress: into(&told)})
		if want := []string{
			`Starting pods on 2 nodes of "rome" and 2 nodes of "milan".`,
			`Still waiting for the test's pods to start, on rome-2 of "rome", after 10s.`,
			`Still waiting for the test's pods to start, on rome-2 of "rome", after 20s.`,
			`The pods run, after 25s. They send packets to each other.`,
		}; err != nil || !slices.Equal(told, want) {
			t.Errorf("it tells:\n%s (%v)", strings.Join(told, "\n"), err)
		}
	})
}

func TestATestWithoutTimeToLookSaysWhatItHasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
			if hasNoRoute(pod) {
				return nil // it never starts
			}
			return lossy(pod, added)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		result, err := run(ctx, t, lossy, stuck, Options{PacketCount: 5})
		if err != nil || len(result.Faults) != 1 || result.Faults[0].open == "" {
			t.Fatalf("got %q, %v", places(result.Faults), err)
		}
		clustertest.Has(t, result.Faults[0].Detail(),
			`What pods without a route see would tell more about leaf "milan", but nobody knows: the test's pod is not ready`,
			`What has arrived would tell more about leaf "rome"`)
	})
}

func TestAnInterruptedTestHasNoResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		result, err := run(ctx, t, lossy, lossy, Options{PacketCount: 5, Progress: func(step string) {
			if strings.HasPrefix(step, "Packets get lost.") {
				interrupt()
			}
		}})
		if !errors.Is(err, context.Canceled) || len(result.Paths) > 0 {
			t.Errorf("got %q, %v", places(result.Faults), err)
		}
	})
}

func TestATestWithoutANetworkCreatesNoPod(t *testing.T) {
	rome, milan := newLeaf(t, "rome", "milan", healthy), clustertest.Leaf(t, "milan")
	_, err := New(rome, milan, Options{}).Run(t.Context())
	if summary := explain.Summary(err); summary != `there is no network with "rome" on leaf "milan"` {
		t.Errorf("got %q: %v", summary, err)
	}
}

func TestATestRemovesThePodsOfKilledOnesAndNoOthers(t *testing.T) {
	left := func(name string, labels map[string]string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "liqo-tenant-milan", Labels: labels}}
	}
	rome := newLeaf(t, "rome", "milan", healthy,
		left("of-a-killed-one", map[string]string{componentLabel: component, remoteLabel: "milan"}),
		left("of-one-with-another-leaf", map[string]string{componentLabel: component, remoteLabel: "naples"}),
		left("of-somebody", map[string]string{componentLabel: "shop"}))
	milan := newLeaf(t, "milan", "rome", healthy)
	if _, err := New(rome, milan, Options{PacketCount: 10}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := podsOn(t, rome); !slices.Equal(got, []string{"of-one-with-another-leaf", "of-somebody"}) {
		t.Errorf("%q stay", got)
	}
}

func TestTestsOfTwoLeavesRunOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		slow := func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
			if added == nil && strings.Contains(pod.Name, "listener-1") {
				running++
				most = max(most, running)
				<-time.After(time.Second)
				running--
			}
			return healthy(pod, added)
		}
		rome, milan := newLeaf(t, "rome", "milan", slow), newLeaf(t, "milan", "rome", healthy)
		errs := parallel.Map([]int{1, 2, 3}, func(int) error {
			_, err := New(rome, milan, Options{PacketCount: 10}).Run(t.Context())
			return err
		})
		if err := errors.Join(errs...); err != nil || most != 1 {
			t.Errorf("%d at the same time, %v", most, err)
		}
	})
}

func TestNodesThatRunNoPodsAreLeftOut(t *testing.T) {
	cordoned, tainted, virtual, down, windows := newNode("cordoned"), newNode("tainted"), newNode("virtual"),
		newNode("down"), newNode("windows")
	cordoned.Spec.Unschedulable = true
	tainted.Spec.Taints = []corev1.Taint{{Key: "of-the-control-plane", Effect: corev1.TaintEffectNoSchedule}}
	virtual.Labels = map[string]string{consts.TypeLabel: consts.TypeNode}
	down.Status.Conditions[0].Status = corev1.ConditionUnknown
	windows.Labels = map[string]string{corev1.LabelOSStable: "windows"}
	gateway := &corev1.Pod{
		ObjectMeta: clustertest.GatewayDeployment("milan").ObjectMeta, Spec: corev1.PodSpec{NodeName: "rome-2"},
	}
	rome := newLeaf(t, "rome", "milan", healthy, cordoned, tainted, virtual, down, windows, gateway)
	s := newScene(t).client
	s.Leaf, s.objects.Gateway = rome, liqo.GatewayOf(clustertest.GatewayServer("milan", 51840))
	if err := s.findNodes(t.Context(), 0); !slices.Equal(s.names, []string{"rome-2", "rome-1"}) || err != nil {
		t.Errorf("got %q, %v", s.names, err)
	}
	if err := s.findNodes(t.Context(), 1); !slices.Equal(s.names, []string{"rome-2"}) || err != nil {
		t.Errorf("one: got %q, %v", s.names, err)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
