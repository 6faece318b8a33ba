//go:build lab

package main

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// placed is a pod and what the lab's commands call it.
type placed struct {
	name    string // cluster/namespace/name
	address string
}

// runOnEachNode starts a pod on each node of a cluster.
func (r *running) runOnEachNode(t *testing.T, c labdir.Cluster) []placed {
	t.Helper()
	pods := make([]placed, len(c.Nodes))
	for i, node := range c.Nodes {
		name := c.Name + "/default/on-" + node.Name
		pods[i] = placed{name, r.startPod(t, name, "--node", node.Name)}
	}
	return pods
}

func TestPacketsCrossBetweenAllNodesOfLeaves(t *testing.T) {
	lab := startReal(t, "rome=10.200.0.0/16,nodes=2", "milan=10.200.0.0/16,nodes=2")
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	inRome, inMilan := lab.runOnEachNode(t, rome), lab.runOnEachNode(t, milan)

	t.Run("a pod reaches the pod on the other node of its leaf, which sees its address", func(t *testing.T) {
		for _, pods := range [][]placed{inRome, inMilan} {
			lab.answers(t, pods[0].name, pods[1].address, pods[1].name, pods[0].address)
			lab.answers(t, pods[1].name, pods[0].address, pods[0].name, pods[1].address)
		}
	})

	joinLeaves(t, rome, milan, "NodePort")
	crossing := func(t *testing.T) {
		t.Helper()
		for _, r := range inRome {
			for _, m := range inMilan {
				lab.reachesFrom(t, r.name, remapped(m.address))
				lab.reachesFrom(t, m.name, remapped(r.address))
				lab.answers(t, r.name, remapped(m.address), m.name, remapped(r.address))
			}
		}
	}
	t.Run("pods on each node of both reach each other", crossing)

	t.Run("a port of a Service is the same at each node, wherever the pod is and whoever asks", func(t *testing.T) {
		port := nodePort(t, milan, inMilan[1])
		for _, node := range milan.Nodes {
			for _, address := range []string{node.IP, node.NATIP} {
				for _, from := range slices.Concat(inRome, inMilan[:1]) {
					if got := lab.answer(t, from.name, fmt.Sprintf("%s:%d", address, port)); got["name"] != inMilan[1].name {
						t.Errorf("%s asks %s at %s, and is answered %v", from.name, node.Name, address, got)
					}
				}
			}
		}
	})

	t.Run("no packet crosses when they are parted", func(t *testing.T) {
		partLeaves(t, rome, milan)
		for _, r := range inRome {
			if result := lab.probeFrom(t, "ping", r.name, remapped(inMilan[0].address)); result.Received > 0 {
				t.Errorf("%s reaches %s: %+v", r.name, inMilan[0].name, result)
			}
		}
	})
	if t.Failed() {
		t.Log(lab.stderr)
	}
	lab.run(t, "down")
	gone(t, lab.Dir)
}

// nodePort creates a Service for a pod, and returns its port at the nodes.
func nodePort(t *testing.T, c labdir.Cluster, pod placed) int32 {
	t.Helper()
	service := &corev1.Service{}
	service.Namespace, service.Name = "default", "of-one-pod"
	service.Spec = corev1.ServiceSpec{
		Type: corev1.ServiceTypeNodePort, Selector: map[string]string{"run": pod.name[len(c.Name+"/default/"):]},
		Ports: []corev1.ServicePort{{Port: 80}},
	}
	if err := connect(t, c).Create(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	return service.Spec.Ports[0].NodePort
}
