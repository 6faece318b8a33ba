// Command liqo-pod is what a lab runs in its pods and nodes. It starts thousands of times, so it links little. Called
// ping, curl or wget, it is that tool. Otherwise, liqo-lab starts it as:
//
//	liqo-pod sandbox                           hold the sandbox that stdin describes
//	liqo-pod enter PID PROGRAM [ARGUMENT...]   run a program in the sandbox of a process, with its files
//	liqo-pod container PID                     run the container that stdin describes in the sandbox of a process
//	liqo-pod probe REQUEST                     probe a target from the current network, and print the result as JSON
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/tools"
)

func main() {
	name := filepath.Base(os.Args[0])
	if err := run(name, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// run runs the tool of that name or, if there is none, a command.
func run(name string, args []string) error {
	if tool := tools.ByName[name]; tool != nil {
		return tool(args, os.Stdout)
	}
	switch {
	case len(args) == 1 && args[0] == "sandbox":
		return sandbox.Hold(os.Stdin, os.Stdout)
	case len(args) > 2 && args[0] == "enter":
		return enter(args[1], args[2:])
	case len(args) == 2 && args[0] == "container":
		return become(args[1])
	case len(args) == 2 && args[0] == "probe":
		return runProbe(args[1])
	}
	return errors.New("liqo-lab starts this program in the pods and nodes of a lab; see liqo-lab help")
}
