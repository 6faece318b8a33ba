package main

import (
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

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

const (
	// stopTimeout limits the time until a lab has ended.
	stopTimeout = 30 * time.Second
	// stopInterval is the time between checks whether it has. There is no event for the end of a
	// process that is not a child.
	stopInterval = 20 * time.Millisecond
)

func newDown(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the lab, and remove everything that a killed lab left behind",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			dir, err := folder()
			if err != nil {
				return err
			}
			// A lab that is already stopping refuses the request. That matters only if it does not end.
			asked := control.NewClient(dir).Stop(command.Context())
			err = removeLeftovers(dir)
			if errors.Is(err, labdir.ErrInUse) {
				return errors.Join(err, asked)
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

// onLab runs the work of a command that needs a running lab.
func onLab(
	folder func() (string, error),
	do func(ctx context.Context, lab *control.Client, args []string) error,
) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		dir, err := folder()
		if err != nil {
			return err
		}
		return do(command.Context(), control.NewClient(dir), args)
	}
}

func newStatus(folder func() (string, error)) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "status",
		Short: "Show what is running",
		Args:  cobra.NoArgs,
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, _ []string) error {
			status, err := lab.Status(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(status)
			}
			printStatus(os.Stdout, status)
			return nil
		}),
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return command
}

func printStatus(out io.Writer, status control.Status) {
	fmt.Fprintf(out, "A lab is running in %s (process %d). %s\n", status.Dir, status.PID, planeOf(status.State))
	for i, c := range status.Clusters {
		health := status.Health[i]
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

func newStopAPIServer(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "stop-apiserver CLUSTER",
		Short: "Stop the API server of a cluster",
		Args:  cobra.ExactArgs(1),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			return lab.StopAPIServer(ctx, args[0])
		}),
	}
}

func newStartAPIServer(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "start-apiserver CLUSTER",
		Short: "Start the API server of a cluster again, and return when Liqo works again",
		Args:  cobra.ExactArgs(1),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			return lab.StartAPIServer(ctx, args[0])
		}),
	}
}

func newSet(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "set CLUSTER KEY=VALUE...",
		Short: "Change how a cluster behaves",
		Long:  "Change how a cluster behaves. Settings: " + kube.SettingsHelp + ".",
		Args:  cobra.MinimumNArgs(2),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			for _, setting := range args[1:] {
				key, value, ok := strings.Cut(setting, "=")
				if !ok {
					return fmt.Errorf("%q is not KEY=VALUE", setting)
				}
				if folder, err := filepath.Abs(value); err == nil && strings.ContainsRune(value, filepath.Separator) {
					value = folder // the lab runs in another one
				}
				if err := lab.Set(ctx, args[0], key, value); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// newGuard returns the command that cleans up after a killed lab. The lab starts it.
func newGuard(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:    "guard",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := folder()
			if err != nil {
				return err
			}
			_, _ = io.Copy(io.Discard, os.Stdin) // it ends while the kernel ends the lab, which may still have its lock
			return removeLeftovers(dir)
		},
	}
}
