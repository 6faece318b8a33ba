// Command liqo-lab runs real Kubernetes clusters with Liqo on one machine, without containers.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "Error:", inspect.Lines(err.Error()))
		}
		cancel()
		os.Exit(1) //nolint:gocritic // nothing else is deferred
	}
}

func newCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "liqo-lab",
		Short: "Real Kubernetes clusters with Liqo on one machine, without containers",
		Long: "liqo-lab runs leaf clusters: etcd, kube-apiserver, kube-controller-manager and Liqo's own controllers, " +
			"built from\n" +
			"their sources. With --dataplane=real, gateways and other pods have their own networks, " +
			"and packets cross. Otherwise\n" +
			"the data plane is simulated: nothing runs in pods, and a tunnel is reported as connected when a real one would be.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var dir string
	command.PersistentFlags().StringVar(&dir, "dir", "", "the lab's folder (default: lab in the user's cache folder)")
	folder := func() (string, error) {
		if dir == "" {
			return labdir.Default()
		}
		return dir, nil
	}
	command.AddCommand(
		newUp(folder), newDown(folder), newStatus(folder),
		newStopAPIServer(folder), newStartAPIServer(folder), newSet(folder),
		newPeer(folder), newUnpeer(folder),
		newGet(folder), newInventory(folder), newRequests(folder),
		newBuild(), newCheck(), newGuard(folder), newFleet(),
		newRun(folder), newPing(folder), newFlow(folder), newHTTP(folder), newUDP(folder), newExec(folder), newLink(folder),
		newNAT(folder), newRelay(),
		newDrop(folder), newUnroute(folder), newDevice(folder), newMend(folder), newWhere(folder),
	)
	return command
}
