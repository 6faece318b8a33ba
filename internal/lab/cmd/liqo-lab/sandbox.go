package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// newSandbox returns the command that a lab starts to hold a pod or a node.
func newSandbox() *cobra.Command {
	return &cobra.Command{
		Use:    "sandbox",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return sandbox.Hold(os.Stdin, os.Stdout) },
	}
}

// newEnter returns the command that a lab starts to run a program in a sandbox, with the sandbox's
// files.
func newEnter() *cobra.Command {
	return &cobra.Command{
		Use:                "enter PID PROGRAM [ARGUMENT...]",
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("process %q: %w", args[0], err)
			}
			return sandbox.Enter(pid, true, args[1:], os.Environ())
		},
	}
}

// newContainer returns the command that a lab starts to run the program of a container.
func newContainer() *cobra.Command {
	return &cobra.Command{
		Use:    "container PID",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("process %q: %w", args[0], err)
			}
			os.Exit(sandbox.Become(pid, os.Stdin))
			return nil
		},
	}
}
