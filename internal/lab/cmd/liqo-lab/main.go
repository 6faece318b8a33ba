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

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if err := (&cli{}).command().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "Error:", inspect.Lines(err.Error()))
		}
		cancel()
		os.Exit(1) //nolint:gocritic // nothing else is deferred
	}
}

// cli is one use of the program.
type cli struct {
	dir    string // the flag --dir
	inside *inside
}

// inside is what a command knows that runs in the process of the lab.
type inside struct {
	*lab.Lab

	stop   func() // ends the lab
	folder string // where the command was typed
}

func (c *cli) command() *cobra.Command {
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
	command.PersistentFlags().StringVar(&c.dir, "dir", "", "the lab's folder (default: lab in the user's cache folder)")
	command.AddCommand( // which run in the process of the lab
		newStop(c), newStatus(c), newStopAPIServer(c), newStartAPIServer(c), newSet(c),
		newLink(c), newNAT(c), newDrop(c), newUnroute(c), newMend(c), newWhere(c),
	)
	if c.inside == nil {
		command.AddCommand(
			newUp(c), newDown(c), newPeer(c), newGet(c), newInventory(c), newRequests(c), newBuild(), newCheck(),
			newGuard(c), newFleet(), newRun(c), newPing(c), newFlow(c), newHTTP(c), newUDP(c), newExec(c), newRelay(),
		)
	}
	return command
}

// folder returns the lab's folder.
func (c *cli) folder() (string, error) {
	if c.dir == "" {
		return labdir.Default()
	}
	return c.dir, nil
}

// onState completes a command that needs to know the clusters of a lab that is ready.
func (c *cli) onState(
	command *cobra.Command, run func(command *cobra.Command, state labdir.State, args []string) error,
) *cobra.Command {
	command.RunE = func(command *cobra.Command, args []string) error {
		dir, err := c.folder()
		if err != nil {
			return err
		}
		state, err := labdir.ReadState(dir)
		if err != nil {
			return err
		}
		return run(command, state, args)
	}
	return command
}

// inLab completes a command that the process of the lab runs, as it was typed.
func (c *cli) inLab(
	command *cobra.Command, run func(command *cobra.Command, lab *inside, args []string) error,
) *cobra.Command {
	command.RunE = func(command *cobra.Command, args []string) error {
		if c.inside != nil {
			return run(command, c.inside, args)
		}
		output, err := c.send(command.Context(), os.Args[1:]...)
		fmt.Fprint(command.OutOrStdout(), output)
		return err
	}
	return command
}

// send lets the process of the lab run a command, and returns the output.
func (c *cli) send(ctx context.Context, args ...string) (string, error) {
	dir, err := c.folder()
	if err != nil {
		return "", err
	}
	return control.Run(ctx, dir, args...)
}
