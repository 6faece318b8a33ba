package main

import (
	"context"
	"fmt"
	"time"

	liqoutils "github.com/liqotech/liqo/pkg/utils"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// virtualNodeTimeout limits the time until a virtual node is ready. This takes a second or two, but
// the machine may be busy.
const virtualNodeTimeout = 2 * time.Minute

// awaitVirtualNode waits until the consumer's node that represents a provider is ready.
func awaitVirtualNode(ctx context.Context, consumer labdir.Cluster, provider string) error {
	config, err := clientcmd.BuildConfigFromFlags("", consumer.Kubeconfig)
	if err != nil {
		return err
	}
	in, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		return err
	}
	late := fmt.Errorf("the virtual node %s of cluster %s does not get ready; "+
		"the log of its kubelet is vk-%s-….log in the logs of the cluster",
		provider, consumer.Name, provider)
	ctx, cancel := context.WithTimeoutCause(ctx, virtualNodeTimeout, late)
	defer cancel()
	return kube.Await(ctx, in, &corev1.Node{}, liqoutils.IsNodeReady, client.MatchingFields{"metadata.name": provider})
}
