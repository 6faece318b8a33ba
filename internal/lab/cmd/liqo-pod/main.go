// Command liqo-pod is what a lab runs in its pods and nodes. It starts thousands of times, so it links little. Called
// ping, curl or wget, it is that tool. Otherwise, liqo-lab starts it as:
//
//	liqo-pod sandbox                           hold the sandbox that stdin describes
//	liqo-pod enter PID PROGRAM [ARGUMENT...]   run a program in the sandbox of a process, with its files
//	liqo-pod container PID                     run the container that stdin describes in the sandbox of a process
//	liqo-pod probe REQUEST                     probe a target from the current network, and print the result as JSON
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/probe"
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
	var pid int
	if len(args) > 1 && args[0] != "probe" {
		var err error
		if pid, err = strconv.Atoi(args[1]); err != nil {
			return err
		}
	}
	switch {
	case len(args) == 1 && args[0] == "sandbox":
		return sandbox.Hold(os.Stdin, os.Stdout)
	case len(args) > 2 && args[0] == "enter":
		return sandbox.Enter(pid, true, args[2:], os.Environ())
	case len(args) == 2 && args[0] == "container":
		os.Exit(sandbox.Become(pid, os.Stdin)) // it returns only on an error
	case len(args) == 2 && args[0] == "probe":
		return runProbe(args[1])
	}
	return errors.New("liqo-lab starts this program in the pods and nodes of a lab; see liqo-lab help")
}

// runProbe runs a probe, which a signal ends, and prints its result.
func runProbe(encoded string) error {
	var request probe.Request
	if err := json.Unmarshal([]byte(encoded), &request); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if request.StopOnStdinEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end as well
			stop()
		}()
	}
	if request.Announce {
		request.Options.Answered, request.Flow.Answered = announce, announce
	}
	if request.Kind == "http" {
		return show(probe.HTTP(ctx, request.Target, request.Options))
	}
	address, err := netip.ParseAddr(request.Target)
	if err != nil || !address.Is4() {
		return fmt.Errorf("%q is not an IPv4 address", request.Target)
	}
	switch request.Kind {
	case "ping":
		result, err := probe.Ping(ctx, address, request.Size, request.Whole, request.Options)
		if err != nil {
			return err
		}
		return show(result)
	case "udp":
		return show(probe.UDP(ctx, address, request.Options))
	case "flow":
		result, err := probe.Flow(ctx, address, request.Flow)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	return fmt.Errorf("there is no probe %q", request.Kind)
}

// announce says that a probe has begun. What shall happen to its packets can happen now.
func announce() { fmt.Fprintln(os.Stderr, "The first answer has come.") }

// show prints the result. It returns an error if there was no answer.
func show(result probe.Result) error {
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		return err
	}
	if result.Received == 0 {
		return fmt.Errorf("no answer from %s", result.To)
	}
	return nil
}
