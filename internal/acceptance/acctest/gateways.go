package acctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NextGateway returns a function that returns when another pod of a cluster's gateway runs than now.
func (l *RealLab) NextGateway(t *testing.T, cluster string) func() {
	t.Helper()
	old := l.GatewayPod(t, cluster)
	return func() {
		t.Helper()
		AwaitAny(t, l.Lab, cluster, &corev1.PodList{}, func(pod *corev1.Pod) bool {
			return pod.UID != old.UID && pod.Status.Phase == corev1.PodRunning
		}, client.InNamespace(old.Namespace))
	}
}

// RenewGateway deletes the pod of a cluster's gateway, and returns when there is another one.
func (l *RealLab) RenewGateway(t *testing.T, cluster string) {
	t.Helper()
	renewed := l.NextGateway(t, cluster)
	Must(t, l.Client(t, cluster).Delete(t.Context(), l.GatewayPod(t, cluster)))
	renewed()
}

// GatewayPod is the only pod of gateways of a cluster, or the only one of these.
func (l *Lab) GatewayPod(t *testing.T, cluster string, which ...client.ListOption) *corev1.Pod {
	t.Helper()
	ofGateways := client.MatchingLabels{"networking.liqo.io/component": "gateway"}
	return Only[*corev1.Pod](t, l, cluster, &corev1.PodList{}, append(which, ofGateways)...)
}

// GatewayUIDs stores the UIDs of the gateways of Rome and Milan.
type GatewayUIDs struct {
	Lab  *Lab
	last [2]types.UID
}

// AreReplaced fails the test unless the gateways of these clusters, with Rome before Milan, are others than the last
// time: this interrupts traffic.
func (g *GatewayUIDs) AreReplaced(t *testing.T, expected ...string) {
	t.Helper()
	client, server := g.Lab.Gateways(t)
	var replaced []string
	now := [2]types.UID{client.UID, server.UID}
	for i, name := range []string{"rome", "milan"} {
		if now[i] != g.last[i] {
			replaced = append(replaced, name)
		}
	}
	if !slices.Equal(replaced, expected) {
		t.Errorf("the gateways of %v were replaced, expected %v", replaced, expected)
	}
	g.last = now
}

// Gateways returns the only gateways of Rome, which dials, and of Milan.
func (l *Lab) Gateways(t *testing.T) (*networkingv1beta1.GatewayClient, *networkingv1beta1.GatewayServer) {
	t.Helper()
	return Only[*networkingv1beta1.GatewayClient](t, l, "rome", &networkingv1beta1.GatewayClientList{}), l.GatewayServer(t)
}

// GatewayServer returns the only gateway of Milan.
func (l *Lab) GatewayServer(t *testing.T) *networkingv1beta1.GatewayServer {
	t.Helper()
	return Only[*networkingv1beta1.GatewayServer](t, l, "milan", &networkingv1beta1.GatewayServerList{})
}

// ActivePod returns the active pod of a cluster's only gateway as soon as there is one, and it is another one than
// before. Nil stands for none.
func (l *RealLab) ActivePod(t *testing.T, cluster string, before *corev1.Pod) (active *corev1.Pod) {
	t.Helper()
	AwaitAny(t, l.Lab, cluster, &corev1.PodList{}, func(pod *corev1.Pod) bool {
		active = pod
		return pod.DeletionTimestamp == nil && (before == nil || pod.UID != before.UID)
	}, client.MatchingLabels{"networking.liqo.io/component": "gateway", "networking.liqo.io/active": "true"})
	return active
}

// NextLeader returns a function that waits until another process leads the replicas of a cluster's only gateway than
// now, and returns its pod. It may be the same pod as before.
func (l *RealLab) NextLeader(t *testing.T, cluster string) func() *corev1.Pod {
	t.Helper()
	namespace := client.InNamespace(l.ActivePod(t, cluster, nil).Namespace)
	await := func(is func(leader string) bool) (leader string) {
		t.Helper()
		AwaitAny(t, l.Lab, cluster, &coordinationv1.LeaseList{}, func(lease *coordinationv1.Lease) bool {
			leader = ptr.Deref(lease.Spec.HolderIdentity, "")
			return strings.HasSuffix(lease.Name, ".connections.liqo.io") && leader != "" && is(leader)
		}, namespace)
		return leader
	}
	before := await(func(string) bool { return true })
	return func() (next *corev1.Pod) {
		t.Helper()
		name, _, _ := strings.Cut(await(func(leader string) bool { return leader != before }), "_")
		Await(t, l.Lab, cluster, &corev1.PodList{}, name, func(pod *corev1.Pod) bool {
			next = pod
			return pod.Labels["networking.liqo.io/active"] == "true"
		})
		return next
	}
}

// KillIn ends a program in a pod of a cluster with SIGKILL. Its container starts again.
func (l *RealLab) KillIn(t *testing.T, cluster string, pod *corev1.Pod, program string) {
	t.Helper()
	Must(t, kill(l.ProcessIn(t, cluster, pod, program), syscall.SIGKILL))
}

// ProcessIn returns the ID of the only process of a program in a pod of a cluster.
func (l *RealLab) ProcessIn(t *testing.T, cluster string, pod *corev1.Pod, program string) int {
	t.Helper()
	var place struct{ PID int }
	Must(t, json.Unmarshal([]byte(l.Output(t, "where", cluster+"/"+pod.Namespace+"/"+pod.Name)), &place))
	network := func(pid int) string {
		link, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid)) // the process may be gone
		return link
	}
	in := network(place.PID)
	found := processes(program+"\n", func(pid int) bool { return network(pid) == in })
	if len(found) != 1 {
		t.Fatalf("%d processes of %s run in %s", len(found), program, pod.Name)
	}
	return found[0]
}

// NodeAddress returns the address of a cluster's only node.
func (l *Lab) NodeAddress(t *testing.T, name string) string {
	t.Helper()
	for _, address := range Only[*corev1.Node](t, l, name, &corev1.NodeList{}).Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return address.Address
		}
	}
	t.Fatalf("the node of %s has no address", name)
	return ""
}

// UpdateTemplate changes the images in Liqo's template of a cluster's gateways, as an update does.
func (l *RealLab) UpdateTemplate(t *testing.T, cluster string) {
	t.Helper()
	template := l.templateOf(t, cluster)
	path := []string{"spec", "template", "spec", "deployment", "spec", "template", "spec", "containers"}
	containers, _, err := unstructured.NestedSlice(template.Object, path...)
	for _, container := range containers {
		if fields, ok := container.(map[string]any); ok {
			fields["image"] = fmt.Sprint(fields["image"], "-next")
		}
	}
	Must(t, errors.Join(err, unstructured.SetNestedSlice(template.Object, containers, path...)))
	Must(t, l.Client(t, cluster).Update(t.Context(), template))
}
