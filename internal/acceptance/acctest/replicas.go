package acctest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TwoNodes has the options of a lab with real packets and room for a standby at each end.
var TwoNodes = []string{
	"--dataplane=real", "--cluster=rome=10.202.0.0/16,nodes=2", "--cluster=milan=10.203.0.0/16,nodes=2",
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
	var leases coordinationv1.LeaseList
	namespace := l.ActivePod(t, cluster, nil).Namespace
	if err := l.Administrator(t, cluster).List(t.Context(), &leases, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	leases.Items = slices.DeleteFunc(leases.Items, func(lease coordinationv1.Lease) bool {
		return !strings.HasSuffix(lease.Name, ".connections.liqo.io")
	})
	if len(leases.Items) != 1 {
		t.Fatalf("%d Leases of gateways are in %s", len(leases.Items), namespace)
	}
	before := leases.Items[0]
	leader := func(lease *coordinationv1.Lease) string { return ptr.Deref(lease.Spec.HolderIdentity, "") }
	return func() (next *corev1.Pod) {
		t.Helper()
		var name string
		Await(t, l.Lab, cluster, &coordinationv1.LeaseList{}, before.Name, func(now *coordinationv1.Lease) bool {
			name, _, _ = strings.Cut(leader(now), "_")
			return name != "" && leader(now) != leader(&before)
		})
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
	described, err := Output(LabProgram, "where", cluster+"/"+pod.Namespace+"/"+pod.Name, "--dir", l.Dir)
	var place struct{ PID int }
	if err == nil {
		err = json.Unmarshal([]byte(described), &place)
	}
	if err != nil {
		t.Fatal(err)
	}
	network := func(pid string) string {
		link, _ := os.Readlink("/proc/" + pid + "/ns/net") // the process may be gone
		return link
	}
	in := network(strconv.Itoa(place.PID))
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, process := range processes {
		pid := filepath.Base(process)
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		if number, err := strconv.Atoi(pid); err == nil && network(pid) == in && strings.TrimSpace(string(name)) == program &&
			syscall.Kill(number, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed != 1 {
		t.Fatalf("%d processes of %s ran in %s", killed, program, pod.Name)
	}
}
