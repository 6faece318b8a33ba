package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// virtualNodeTimeout is how long a virtual node may take until it is ready. It takes a second or two, but a machine may be busy.
const virtualNodeTimeout = 2 * time.Minute

// awaitVirtualNode waits until the node that stands for a provider is ready in its consumer.
func awaitVirtualNode(ctx context.Context, consumer labdir.Cluster, provider string) error {
	config, err := clientcmd.BuildConfigFromFlags("", consumer.Kubeconfig)
	if err != nil {
		return err
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, virtualNodeTimeout)
	defer cancel()
	// A watch from no version in particular tells of the node first if it is there already.
	watcher, err := clientset.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + provider})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		if node, ok := event.Object.(*corev1.Node); ok && isReady(node) {
			return nil
		}
	}
	return fmt.Errorf("the virtual node %s of cluster %s does not get ready; the log of its kubelet is vk-%s-….log in the logs of the cluster",
		provider, consumer.Name, provider)
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
