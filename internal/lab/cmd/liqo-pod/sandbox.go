package main

import (
	"os"
	"strconv"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// enter replaces this process with a program in the sandbox of another one. It returns only on an error.
func enter(process string, program []string) error {
	pid, err := strconv.Atoi(process)
	if err != nil {
		return err
	}
	return sandbox.Enter(pid, true, program, os.Environ())
}

// become makes this process a container in the sandbox of another one. It returns only on an error.
func become(process string) error {
	pid, err := strconv.Atoi(process)
	if err != nil {
		return err
	}
	os.Exit(sandbox.Become(pid, os.Stdin))
	return nil
}
