package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

const (
	// stopTimeout limits the time until a lab has ended.
	stopTimeout = 2 * time.Minute
	// stopInterval is the time between checks whether it has. There is no event for the end of a
	// process that is not a child.
	stopInterval = 20 * time.Millisecond
	// healthTimeout limits how long the clusters may take to say how they are.
	healthTimeout = 10 * time.Second
)

// runInLab returns what runs the commands that a lab gets from others.
func runInLab(l *lab.Lab, stop func()) func(control.Request) (string, error) {
	return func(request control.Request) (string, error) {
		var output bytes.Buffer
		command := (&cli{inside: &inside{l, stop, request.Folder}}).command()
		command.SetArgs(request.Args)
		command.SetOut(&output)
		err := command.ExecuteContext(context.Background())
		return output.String(), err
	}
}

// newStop returns the command that tells the lab to end. It does not wait for the end. `liqo-lab down` sends it.
func newStop(c *cli) *cobra.Command {
	return c.inLab(&cobra.Command{Use: "stop", Hidden: true, Args: cobra.NoArgs},
		func(_ *cobra.Command, lab *inside, _ []string) error {
			lab.stop()
			return nil
		})
}

func newDown(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the lab, and remove everything that a killed lab left behind",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			dir, err := c.folder()
			if err != nil {
				return err
			}
			// A lab that is already stopping refuses the request. That matters only if it does not end.
			_, refused := c.send(command.Context(), "stop")
			err = removeLeftovers(dir)
			if errors.Is(err, labdir.ErrInUse) {
				return errors.Join(err, refused)
			}
			return err
		},
	}
}

// removeLeftovers removes what a lab has left behind that ends about now.
func removeLeftovers(dir string) error {
	for deadline := time.Now().Add(stopTimeout); ; time.Sleep(stopInterval) {
		err := labdir.RemoveLeftovers(dir)
		if !errors.Is(err, labdir.ErrInUse) || time.Now().After(deadline) {
			return err
		}
	}
}

// status is the state of a lab at one moment.
type status struct {
	labdir.State
	// PID is the lab's process.
	PID int `json:"pid"`
	// Health has an entry for each cluster, in the order of Clusters.
	Health []kube.Health `json:"health"`
}

func newStatus(c *cli) *cobra.Command {
	var asJSON bool
	command := c.inLab(&cobra.Command{Use: "status", Short: "Show what is running", Args: cobra.NoArgs},
		func(command *cobra.Command, lab *inside, _ []string) error {
			ctx, cancel := context.WithTimeout(command.Context(), healthTimeout)
			defer cancel()
			now := status{State: lab.State(), PID: os.Getpid()}
			for _, described := range now.Clusters {
				cluster, err := lab.Cluster(described.Name)
				if err != nil {
					return err
				}
				now.Health = append(now.Health, cluster.Health(ctx))
			}
			if asJSON {
				return json.NewEncoder(command.OutOrStdout()).Encode(now)
			}
			now.print(command.OutOrStdout())
			return nil
		})
	command.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return command
}

func (s status) print(out io.Writer) {
	fmt.Fprintf(out, "A lab is running in %s (process %d). %s\n", s.Dir, s.PID, planeOf(s.State))
	for i, c := range s.Clusters {
		health := s.Health[i]
		fmt.Fprintf(out, "  %-12s %s  API server %s, %s", c.Name, c.Server, health.APIServer, liqoOf(c))
		if c.LiqoVersion != "" {
			fmt.Fprintf(out, " %s", health.Liqo)
		}
		for program, restarts := range health.Restarts {
			fmt.Fprintf(out, ", %s restarted %d times", program, restarts)
		}
		fmt.Fprintln(out)
	}
}

func newStopAPIServer(c *cli) *cobra.Command {
	return c.onCluster(&cobra.Command{
		Use:   "stop-apiserver CLUSTER",
		Short: "Stop the API server of a cluster",
		Args:  cobra.ExactArgs(1),
	}, func(command *cobra.Command, cluster *kube.Cluster, _ []string) error {
		return cluster.StopAPIServer(command.Context())
	})
}

func newStartAPIServer(c *cli) *cobra.Command {
	return c.onCluster(&cobra.Command{
		Use:   "start-apiserver CLUSTER",
		Short: "Start the API server of a cluster again, and return when Liqo works again",
		Args:  cobra.ExactArgs(1),
	}, func(command *cobra.Command, cluster *kube.Cluster, _ []string) error {
		return cluster.StartAPIServer(command.Context())
	})
}

func newSet(c *cli) *cobra.Command {
	return c.onCluster(&cobra.Command{
		Use:   "set CLUSTER KEY=VALUE...",
		Short: "Change how a cluster behaves",
		Long:  "Change how a cluster behaves. Settings: " + kube.SettingsHelp + ".",
		Args:  cobra.MinimumNArgs(2),
	}, func(command *cobra.Command, cluster *kube.Cluster, settings []string) error {
		for _, setting := range settings {
			key, value, ok := strings.Cut(setting, "=")
			if !ok {
				return fmt.Errorf("%q is not KEY=VALUE", setting)
			}
			if strings.ContainsRune(value, filepath.Separator) && !filepath.IsAbs(value) {
				value = filepath.Join(c.inside.folder, value)
			}
			if err := cluster.Set(command.Context(), key, value); err != nil {
				return err
			}
		}
		return nil
	})
}

// onCluster completes a command that the lab runs on the cluster that its first argument names.
func (c *cli) onCluster(
	command *cobra.Command, run func(command *cobra.Command, cluster *kube.Cluster, args []string) error,
) *cobra.Command {
	return c.inLab(command, func(command *cobra.Command, lab *inside, args []string) error {
		cluster, err := lab.Cluster(args[0])
		if err != nil {
			return err
		}
		return run(command, cluster, args[1:])
	})
}

// newGuard returns the command that cleans up after a killed lab. The lab starts it.
func newGuard(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:    "guard",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := c.folder()
			if err != nil {
				return err
			}
			_, _ = io.Copy(io.Discard, os.Stdin) // it ends while the kernel ends the lab, which may still have its lock
			return removeLeftovers(dir)
		},
	}
}
