package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// peering is a consumer of resources and their provider, by name.
type peering struct{ consumer, provider string }

func newPeer(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "peer CONSUMER PROVIDER",
		Short: "Peer two clusters, with liqoctl",
		Long: "Peer two clusters of a lab that was started with --peerable, with the real liqoctl: " +
			"network over a NodePort, authentication, and a\n" +
			"virtual node in the consumer that stands for the provider.",
		Example: "  liqo-lab peer europe rome",
		Args:    cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return onPeering(command.Context(), folder, peering{args[0], args[1]}, peer)
		},
	}
}

func newUnpeer(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "unpeer CONSUMER PROVIDER",
		Short: "End the peering of two clusters, with liqoctl",
		Long:  "End the peering of two clusters, with the real liqoctl, which also removes their tenant namespaces.",
		Args:  cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return onPeering(command.Context(), folder, peering{args[0], args[1]}, unpeer)
		},
	}
}

// onPeering runs a function with two clusters of the running lab.
func onPeering(ctx context.Context, folder func() (string, error), p peering,
	do func(context.Context, *progress.Reporter, []labdir.Cluster, peering) error,
) error {
	state, err := stateOf(folder)
	if err != nil {
		return err
	}
	return do(ctx, progress.New(os.Stderr), state.Clusters, p)
}

// peer peers two clusters. It returns when the consumer's virtual node is ready, for which liqoctl
// does not wait.
func peer(ctx context.Context, report *progress.Reporter, clusters []labdir.Cluster, p peering) error {
	if err := runLiqoctl(ctx, report, clusters, p, "peer", "--gw-server-service-type", "NodePort"); err != nil {
		return err
	}
	consumer, err := peerable(clusters, p.consumer)
	if err != nil {
		return err
	}
	return awaitVirtualNode(ctx, consumer, p.provider)
}

// unpeer ends the peering of two clusters.
func unpeer(ctx context.Context, report *progress.Reporter, clusters []labdir.Cluster, p peering) error {
	return runLiqoctl(ctx, report, clusters, p, "unpeer", "--skip-confirm", "--delete-namespaces")
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

// runLiqoctl runs a command of liqoctl on both clusters. If it fails, the error has its output.
func runLiqoctl(
	ctx context.Context, report *progress.Reporter, clusters []labdir.Cluster, p peering, args ...string,
) error {
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
	command := exec.CommandContext(ctx, files[binaries.Liqoctl.Name],
		append(args, "--kubeconfig", consumer.Kubeconfig, "--remote-kubeconfig", provider.Kubeconfig)...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("liqoctl %s %s %s: %w\n%s", args[0], p.consumer, p.provider, err, output)
	}
	report.Say("liqoctl %s %s %s (%.1fs)", args[0], p.consumer, p.provider, time.Since(start).Seconds())
	return nil
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
	found := only(clusters, name)
	if len(found) == 0 {
		return labdir.Cluster{}, fmt.Errorf("the lab has no cluster %q", name)
	}
	if !found[0].Peerable {
		return labdir.Cluster{}, fmt.Errorf(
			"cluster %q can't be peered: start the lab with --peerable, and the cluster with Liqo", name)
	}
	return found[0], nil
}

// parsePeerings parses the values of --peer.
func parsePeerings(values []string, clusters []lab.Cluster) ([]peering, error) {
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

// peeringsOfCentre returns the peerings in which the first cluster consumes resources of all others that have Liqo.
func peeringsOfCentre(clusters []lab.Cluster) []peering {
	var peerings []peering
	for _, provider := range clusters[1:] {
		if provider.HasLiqo() {
			peerings = append(peerings, peering{clusters[0].Name, provider.Name})
		}
	}
	return peerings
}
