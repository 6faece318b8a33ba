//go:build lab

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/gateway/concurrent"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// awaitActive waits until the active pod of a cluster's gateway is another one than before, and returns it.
func awaitActive(t *testing.T, c labdir.Cluster, before string) (active corev1.Pod) {
	t.Helper()
	waitFor(t, c, &corev1.Pod{}, func(p *corev1.Pod) bool {
		active = *p
		return p.Labels[concurrent.ActiveGatewayKey] == concurrent.ActiveGatewayValue && p.Name != before
	})
	return active
}

// awaitNode waits until Kubernetes reports a node as ready, or with another status.
func awaitNode(t *testing.T, c labdir.Cluster, name string, status corev1.ConditionStatus) {
	t.Helper()
	waitFor(t, c, &corev1.Node{}, func(n *corev1.Node) bool {
		return n.Name == name && slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == status
		})
	})
}

// runImpatient starts a pod on a node that Kubernetes evicts as soon as it has noticed that the node is lost.
func runImpatient(t *testing.T, c labdir.Cluster, node string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = "default", "impatient"
	pod.Spec = corev1.PodSpec{
		NodeName: node, Containers: []corev1.Container{{Name: "echo", Image: "echo"}},
		Tolerations: []corev1.Toleration{{
			Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
			TolerationSeconds: new(int64(0)),
		}},
	}
	if err := connect(t, c).Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

func TestPacketsCrossAgainWhenTheActiveOneOfTwoGatewaysIsLost(t *testing.T) {
	lab := startWith(t, filepath.Join(t.TempDir(), "lab"), "--dataplane=real", "--node-monitor-grace-period=30s",
		"--cluster", "rome=10.200.0.0/16", "--cluster", "milan=10.200.0.0/16,nodes=2,replicas=2")
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	lab.runPod(t, "rome")
	inMilan := lab.runOnEachNode(t, milan)
	joinLeaves(t, rome, milan, "LoadBalancer")
	crossing := func(t *testing.T) {
		t.Helper()
		for _, pod := range inMilan {
			lab.reaches(t, "rome", remapped(pod.address))
		}
	}
	crossing(t)
	active := awaitActive(t, milan, "")

	t.Run("the active one holds the lease", func(t *testing.T) {
		waitFor(t, milan, &coordinationv1.Lease{}, func(l *coordinationv1.Lease) bool {
			return l.Namespace == active.Namespace && strings.HasPrefix(ptr.Deref(l.Spec.HolderIdentity, ""), active.Name+"_")
		})
	})

	t.Run("the other one takes over when the active one is deleted", func(t *testing.T) {
		if err := connect(t, milan).Delete(t.Context(), &active); err != nil {
			t.Fatal(err)
		}
		active = awaitActive(t, milan, active.Name)
		crossing(t)
	})

	t.Run("and when its node is lost, which runs on and is tainted and emptied", func(t *testing.T) {
		lost, kept := 0, 1 // the indices of nodes
		if milan.Nodes[kept].Name == active.Spec.NodeName {
			lost, kept = kept, lost
		}
		pod := runImpatient(t, milan, active.Spec.NodeName)
		lab.run(t, "set", "milan", "lost-nodes="+active.Spec.NodeName)
		before := active
		active = awaitActive(t, milan, active.Name)
		awaitNode(t, milan, before.Spec.NodeName, corev1.ConditionUnknown)
		lab.reaches(t, "rome", remapped(inMilan[kept].address))
		lab.reachesNot(t, "rome", remapped(inMilan[lost].address))
		waitFor(t, milan, &corev1.Pod{}, func(p *corev1.Pod) bool { return p.UID == pod.UID && p.DeletionTimestamp != nil })

		lab.run(t, "set", "milan", "lost-nodes=")
		awaitNode(t, milan, before.Spec.NodeName, corev1.ConditionTrue)
		crossing(t)
		if now := awaitActive(t, milan, ""); now.Name != active.Name {
			t.Errorf("%s was active, and is not since the lost node is back", active.Name)
		}
	})
	if t.Failed() {
		t.Log(lab.stderr)
	}
	lab.run(t, "down")
	gone(t, lab.Dir)
}
