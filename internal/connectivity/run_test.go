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
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
		}},
	}
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
	case added == nil && pod.Labels[consts.LocalPodLabelKey] == consts.LocalPodLabelValue:
		ended(pod, corev1.PodSucceeded, "pod 10.71.0.1 5 0 0 -\npod 10.71.0.2 5 0 0 -\nend")
	case added == nil:
		return healthy(pod, nil)
	default:
		says(pod, added, "pod 10.71.0.1 5 0 0 -\nsilent 10.71.0.1 20\npod 10.71.0.2 5 0 0 -\nsilent 10.71.0.2 20\nend")
	}
	return nil
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
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Image: pod.Spec.Containers[0].Image,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "ImagePullBackOff", Message: "Back-off pulling image: not found",
		}},
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
	rome, milan := newLeaf(t, "rome", "milan", healthy), newLeaf(t, "milan", "rome", healthy)
	result, err := New(rome, milan, Options{PacketCount: 10}).Run(t.Context())
	if err != nil || len(result.Faults) > 0 {
		t.Fatalf("got %v, %v", result.Faults, err)
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
	if left := append(podsOn(t, rome), podsOn(t, milan)...); len(left) > 0 {
		t.Errorf("%q stay", left)
	}
}

func TestAPodToWhichLiqoMakesNoRouteTellsWhatComesPastTheOverlay(t *testing.T) {
	rome := newLeaf(t, "rome", "milan", func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
		message := "pod 10.71.0.1 5 5 5 0.1/0.2/0.3/0.1\nend"
		if pod.Labels[consts.LocalPodLabelKey] != consts.LocalPodLabelValue {
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
			func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
				if added == nil {
					return healthy(pod, nil)
				}
				says(pod, added, "error ping: unrecognized option: M\nBusyBox v1.36.1\n\nUsage: ping HOST\n")
				return nil
			},
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
			func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
				pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "SysctlForbidden", Message: "forbidden sysctl"}
				return nil
			},
			[]string{"SysctlForbidden: forbidden sysctl", "net.ipv4.ping_group_range"},
		},
		"a node without room": {
			func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
				pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "OutOfcpu", Message: "Pod was rejected: no CPU"}
				return nil
			},
			[]string{`on node "milan-1", with image ghcr.io/liqotech/gateway:v1.2.0: OutOfcpu: Pod was rejected: no CPU.` +
				"\n\nFree capacity on this node, or cordon it: the test leaves out cordoned nodes. A pod requests 10m of CPU " +
				"and 16Mi of memory."},
		},
		"a node that evicts a prober": {
			func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
				if added == nil {
					return healthy(pod, nil)
				}
				ended(pod, corev1.PodFailed, "")
				says(pod, added, "mtu 1500\n")
				pod.Status.Reason, pod.Status.Message = "Evicted", "The node was low on resource: memory."
				return nil
			},
			[]string{"Evicted: The node was low on resource: memory.\n\nFree capacity on this node"},
		},
		"a node that shuts down": {
			func(pod *corev1.Pod, _ *corev1.EphemeralContainer) error {
				pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "NodeShutdown", Message: "Pod was rejected"}
				return nil
			},
			[]string{"NodeShutdown: Pod was rejected.\n\nCheck this node, or cordon it: the test leaves out cordoned nodes."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rome, milan := newLeaf(t, "rome", "milan", healthy), newLeaf(t, "milan", "rome", test.inMilan)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := New(rome, milan, Options{PacketCount: 10}).Run(ctx)
				if err == nil {
					t.Fatal("it ran")
				}
				text := explain.Summary(err) + "\n" + explain.Detail(err)
				for _, part := range test.want {
					if !strings.Contains(text, part) {
						t.Errorf("%q is missing in:\n%s", part, text)
					}
				}
				if left := append(podsOn(t, rome), podsOn(t, milan)...); len(left) > 0 {
					t.Errorf("%q stay", left)
				}
			})
		})
	}
}

// reportedUp is what a gateway reports of its tunnel.
func reportedUp(remote string) client.Object {
	return clustertest.Connection(remote, networkingv1beta1.Connected)
}

func TestATestThatLosesPacketsLooksFurtherAndLeavesNoPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		rome := newLeaf(t, "rome", "milan", lossy, reportedUp("milan"))
		milan := newLeaf(t, "milan", "rome", lossy, reportedUp("rome"))
		options := Options{PacketCount: 5, Progress: func(step string) { told = append(told, step) }}
		result, err := New(rome, milan, options).Run(t.Context())
		want := `Unknown: packets between "rome" and "milan" get lost between the nodes of the two leaves`
		if got := places(result.Faults); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, %v", got, err)
		}
		if got := strings.Join(told, "\n"); got != strings.Join([]string{
			`Starting pods on 2 nodes of "rome" and 2 nodes of "milan".`,
			`The pods run, after 0s. They send packets to each other.`,
			`Packets get lost. Pods without a route start, and the gateways report their tunnel again.`,
			`The other pods look again.`, `The pods end, and say what has arrived.`,
		}, "\n") {
			t.Errorf("it tells:\n%s", got)
		}
		if left := append(podsOn(t, rome), podsOn(t, milan)...); len(left) > 0 {
			t.Errorf("%q stay", left)
		}
	})
}

func TestATestSaysForWhichNodesItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		slow := func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
			if pod.Spec.NodeName == "rome-2" && added == nil {
				<-time.After(25 * time.Second)
			}
			return healthy(pod, added)
		}
		rome, milan := newLeaf(t, "rome", "milan", slow), newLeaf(t, "milan", "rome", healthy)
		options := Options{PacketCount: 10, Progress: func(step string) { told = append(told, step) }}
		if _, err := New(rome, milan, options).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []string{
			`Starting pods on 2 nodes of "rome" and 2 nodes of "milan".`,
			`Still waiting for the test's pods to start, on rome-2 of "rome", after 10s.`,
			`Still waiting for the test's pods to start, on rome-2 of "rome", after 20s.`,
			`The pods run, after 25s. They send packets to each other.`,
		}; !slices.Equal(told, want) {
			t.Errorf("it tells:\n%s", strings.Join(told, "\n"))
		}
	})
}

func TestATestWithoutTimeToLookSaysWhatItHasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(pod *corev1.Pod, added *corev1.EphemeralContainer) error {
			if pod.Labels[consts.LocalPodLabelKey] == consts.LocalPodLabelValue {
				return nil // it never starts
			}
			return lossy(pod, added)
		}
		rome := newLeaf(t, "rome", "milan", lossy, reportedUp("milan"))
		milan := newLeaf(t, "milan", "rome", stuck, reportedUp("rome"))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		result, err := New(rome, milan, Options{PacketCount: 5}).Run(ctx)
		if err != nil || len(result.Faults) != 1 || result.Faults[0].open == "" {
			t.Fatalf("got %q, %v", places(result.Faults), err)
		}
		for _, part := range []string{
			`What pods without a route see would tell more about leaf "milan", but nobody knows: the test's pod is not ready`,
			`What has arrived would tell more about leaf "rome"`,
		} {
			if text := result.Faults[0].Detail(); !strings.Contains(text, part) {
				t.Errorf("%q is missing in:\n%s", part, text)
			}
		}
		if left := append(podsOn(t, rome), podsOn(t, milan)...); len(left) > 0 {
			t.Errorf("%q stay", left)
		}
	})
}

func TestAnInterruptedTestHasNoResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rome := newLeaf(t, "rome", "milan", lossy, reportedUp("milan"))
		milan := newLeaf(t, "milan", "rome", lossy, reportedUp("rome"))
		ctx, interrupt := context.WithCancel(t.Context())
		result, err := New(rome, milan, Options{PacketCount: 5, Progress: func(step string) {
			if strings.HasPrefix(step, "Packets get lost.") {
				interrupt()
			}
		}}).Run(ctx)
		if !errors.Is(err, context.Canceled) || len(result.Paths) > 0 {
			t.Errorf("got %q, %v", places(result.Faults), err)
		}
		if left := append(podsOn(t, rome), podsOn(t, milan)...); len(left) > 0 {
			t.Errorf("%q stay", left)
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
		if left := append(podsOn(t, rome), podsOn(t, milan)...); len(left) > 0 {
			t.Errorf("%q stay", left)
		}
	})
}

func TestNodesThatRunNoPodsAreLeftOut(t *testing.T) {
	cordoned, tainted, virtual, down, windows := newNode("cordoned"), newNode("tainted"), newNode("virtual"),
		newNode("down"), newNode("windows")
	cordoned.Spec.Unschedulable = true
	tainted.Spec.Taints = []corev1.Taint{
		{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule},
	}
	virtual.Labels = map[string]string{consts.TypeLabel: consts.TypeNode}
	down.Status.Conditions[0].Status = corev1.ConditionUnknown
	windows.Labels = map[string]string{corev1.LabelOSStable: "windows"}
	gateway := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "gw-milan-1", Namespace: "liqo-tenant-milan", Labels: map[string]string{consts.GatewayNameLabel: "milan"},
		},
		Spec: corev1.PodSpec{NodeName: "rome-2"},
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
