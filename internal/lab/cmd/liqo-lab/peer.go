package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	liqoutils "github.com/liqotech/liqo/pkg/utils"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// peering is a consumer of resources and their provider, by name.
type peering struct{ consumer, provider string }

func newPeer(c *cli) *cobra.Command {
	return c.onState(&cobra.Command{
		Use:   "peer CONSUMER PROVIDER",
		Short: "Peer two clusters, with liqoctl",
		Long: "Peer two clusters of a lab that was started with --peerable, with the real liqoctl: " +
			"network over a NodePort, authentication, and a\n" +
			"virtual node in the consumer that stands for the provider.",
		Example: "  liqo-lab peer europe rome",
		Args:    cobra.ExactArgs(2),
	}, func(command *cobra.Command, state labdir.State, args []string) error {
		return peerAll(command.Context(), progress.New(os.Stderr), state.Clusters, []peering{{args[0], args[1]}})
	})
}

// peerAll peers clusters one after the other.
func peerAll(ctx context.Context, report *progress.Reporter, clusters []labdir.Cluster, peerings []peering) error {
	for _, p := range peerings {
		if err := peer(ctx, report, clusters, p); err != nil {
			return err
		}
	}
	return nil
}

// peer peers two clusters. It returns when the consumer's virtual node is ready, for which liqoctl
// does not wait. If liqoctl fails, the error has its output.
func peer(ctx context.Context, report *progress.Reporter, clusters []labdir.Cluster, p peering) error {
	consumer, err := peerable(clusters, p.consumer)
	if err != nil {
		return err
	}
	provider, err := peerable(clusters, p.provider)
	if err != nil {
		return err
	}
	files, err := binaries.Build(ctx, report, liqoctlFor(consumer, provider))
	if err != nil {
		return err
	}
	start := time.Now()
	command := exec.CommandContext(ctx, files[binaries.Liqoctl.Name], "peer", "--gw-server-service-type", "NodePort",
		"--kubeconfig", consumer.Kubeconfig, "--remote-kubeconfig", provider.Kubeconfig)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("liqoctl peer %s %s: %w\n%s", p.consumer, p.provider, err, output)
	}
	report.Say("liqoctl peer %s %s (%.1fs)", p.consumer, p.provider, time.Since(start).Seconds())
	return awaitVirtualNode(ctx, consumer, p.provider)
}

// liqoctlFor returns the liqoctl for two clusters. It is the one of the older release: it works with
// newer clusters, but liqoctl 1.2.0 waits for conditions that older clusters do not report.
func liqoctlFor(a, b labdir.Cluster) binaries.Program {
	return binaries.Liqoctl.At(binaries.OlderLiqo(releaseOf(a), releaseOf(b)))
}

// releaseOf returns the release of Liqo in a cluster.
func releaseOf(c labdir.Cluster) binaries.LiqoRelease {
	return binaries.LiqoRelease{Version: binaries.LiqoVersion(c.LiqoVersion), Folder: c.LiqoFolder}
}

// peerable returns a cluster that can be peered, by its name.
func peerable(clusters []labdir.Cluster, name string) (labdir.Cluster, error) {
	found, err := named(clusters, name)
	if err == nil && !found.Peerable {
		err = fmt.Errorf("cluster %q can't be peered: start the lab with --peerable, and the cluster with Liqo", name)
	}
	return found, err
}

// named returns the cluster with a name.
func named(clusters []labdir.Cluster, name string) (labdir.Cluster, error) {
	for _, c := range clusters {
		if c.Name == name {
			return c, nil
		}
	}
	return labdir.Cluster{}, fmt.Errorf("the lab has no cluster %q", name)
}

// clientFor returns a client of a cluster for Kubernetes' own kinds.
func clientFor(cluster labdir.Cluster) (client.WithWatch, error) {
	config, err := clientcmd.BuildConfigFromFlags("", cluster.Kubeconfig)
	if err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{})
}

// parsePeerings parses the values of --peer.
func parsePeerings(values []string, clusters []kube.Spec) ([]peering, error) {
	withLiqo := map[string]bool{}
	for _, c := range clusters {
		withLiqo[c.Name] = c.HasLiqo()
	}
	peerings := make([]peering, len(values))
	for i, value := range values {
		consumer, provider, _ := strings.Cut(value, "=")
		if consumer == provider || !withLiqo[consumer] || !withLiqo[provider] {
			return nil, fmt.Errorf("--peer %s: it takes consumer=provider, two clusters of the lab with Liqo", value)
		}
		peerings[i] = peering{consumer, provider}
	}
	return peerings, nil
}

// virtualNodeTimeout limits the time until a virtual node is ready. This takes a second or two, but
// the machine may be busy.
const virtualNodeTimeout = 2 * time.Minute

// awaitVirtualNode waits until the consumer's node that represents a provider is ready.
func awaitVirtualNode(ctx context.Context, consumer labdir.Cluster, provider string) error {
	in, err := clientFor(consumer)
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
