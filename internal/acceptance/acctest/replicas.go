package acctest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TwoNodes has the options of a lab with real packets and room for a standby at each end.
var TwoNodes = []string{
	"--dataplane=real", "--cluster=rome=10.202.0.0/16,nodes=2", "--cluster=milan=10.203.0.0/16,nodes=2",
}

// ActivePod returns the active pod of a cluster's only gateway as soon as there is one, and it is another one than
// before. Nil stands for none.
func (l *RealLab) ActivePod(t *testing.T, cluster string, before *corev1.Pod) *corev1.Pod {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), TimeToHappen)
	defer cancel()
	pods, err := l.Administrator(t, cluster).Watch(ctx, &corev1.PodList{},
		client.MatchingLabels{"networking.liqo.io/component": "gateway", "networking.liqo.io/active": "true"})
	if err != nil {
		t.Fatal(err)
	}
	defer pods.Stop()
	for change := range pods.ResultChan() {
		pod, ok := change.Object.(*corev1.Pod)
		if ok && change.Type != watch.Deleted && pod.DeletionTimestamp == nil && (before == nil || pod.UID != before.UID) {
			return pod
		}
	}
	t.Fatalf("no pod on %s has taken over: %v", cluster, context.Cause(ctx))
	return nil
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
