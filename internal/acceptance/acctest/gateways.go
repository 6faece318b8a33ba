package acctest

import (
	"context"
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

// GatewayPod is the pod of a cluster's only gateway.
func (l *RealLab) GatewayPod(t *testing.T, cluster string) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	err := l.Client(t, cluster).List(
		t.Context(), &pods, client.MatchingLabels{"networking.liqo.io/component": "gateway"},
	)
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods of gateways run on %s (%v)", len(pods.Items), cluster, err)
	}
	return &pods.Items[0]
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
	var clients networkingv1beta1.GatewayClientList
	var servers networkingv1beta1.GatewayServerList
	Must(t, l.Client(t, "rome").List(t.Context(), &clients))
	Must(t, l.Client(t, "milan").List(t.Context(), &servers))
	if len(clients.Items) != 1 || len(servers.Items) != 1 {
		t.Fatalf("got %d GatewayClients and %d GatewayServers", len(clients.Items), len(servers.Items))
	}
	return &clients.Items[0], &servers.Items[0]
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

// MoveGateway restarts the pod of Milan's gateway on a node with this address.
func (l *Lab) MoveGateway(t *testing.T, address string) {
	t.Helper()
	l.CallNode(t, address)
	if err := l.Client(t, "milan").DeleteAllOf(
		t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-rome"),
	); err != nil {
		t.Fatal(err)
	}
	Await(t, l, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
		func(gateway *networkingv1beta1.GatewayServer) bool {
			return gateway.Status.Endpoint != nil && len(gateway.Status.Endpoint.Addresses) == 1 &&
				gateway.Status.Endpoint.Addresses[0] == address
		})
}

// CallNode gives Milan's node another address. It also works in a cleanup.
func (l *Lab) CallNode(t *testing.T, address string) {
	t.Helper()
	ctx, c := context.WithoutCancel(t.Context()), l.Client(t, "milan")
	var nodes corev1.NodeList
	Must(t, c.List(ctx, &nodes))
	node := nodes.Items[0].DeepCopy()
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
	Must(t, c.Status().Patch(ctx, node, client.MergeFrom(&nodes.Items[0])))
}

// NodeAddress returns the address of a cluster's only node.
func (l *Lab) NodeAddress(t *testing.T, name string) string {
	t.Helper()
	var nodes corev1.NodeList
	Must(t, l.Client(t, name).List(t.Context(), &nodes))
	for _, address := range nodes.Items[0].Status.Addresses {
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
	c, template := l.Client(t, cluster), &unstructured.Unstructured{}
	name := map[string]string{"rome": "Client", "milan": "Server"}[cluster]
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind("WgGateway" + name + "Template"))
	path := []string{"spec", "template", "spec", "deployment", "spec", "template", "spec", "containers"}
	err := c.Get(t.Context(), client.ObjectKey{Namespace: "liqo", Name: "wireguard-" + strings.ToLower(name)}, template)
	containers, _, wrong := unstructured.NestedSlice(template.Object, path...)
	for _, container := range containers {
		if fields, ok := container.(map[string]any); ok {
			fields["image"] = fmt.Sprint(fields["image"], "-next")
		}
	}
	Must(t, errors.Join(err, wrong, unstructured.SetNestedSlice(template.Object, containers, path...)))
	Must(t, c.Update(t.Context(), template))
}
