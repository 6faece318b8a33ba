package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/probe"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// fromPod explains the name of a pod in the help of each command that takes one.
const fromPod = "The pod is named cluster/namespace/name. It takes root, and a lab with --dataplane=real."

// inPod replaces this process with a program in the network of a pod or a node. It returns only on an error.
func inPod(ctx context.Context, lab *control.Client, pod string, args []string) error {
	held, err := lab.Place(ctx, pod)
	if err != nil {
		return err
	}
	return sandbox.Enter(held.PID, false, args, os.Environ())
}

func newExec(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:     "exec PLACE -- PROGRAM [ARGUMENT...]",
		Short:   "Run a program of this machine in the network of a pod or a node",
		Long:    "Run a program of this machine in the network of a pod or a node. It takes root. " + atPlace,
		Example: "  liqo-lab exec rome/default/a -- ip route\n  liqo-lab exec rome/rome-node -- ip rule",
		Args:    cobra.MinimumNArgs(2),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			program, err := exec.LookPath(args[1])
			if err != nil {
				return err
			}
			return inPod(ctx, lab, args[0], append([]string{program}, args[2:]...))
		}),
	}
}

// newProbe makes a command one that runs a probe from a pod. Flags of the command set the rest of the request.
func newProbe(folder func() (string, error), request *probe.Request, command *cobra.Command) *cobra.Command {
	command.Args = cobra.ExactArgs(2)
	command.RunE = onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
		request.Kind, request.Target = command.Name(), args[1]
		encoded, err := json.Marshal(request)
		if err != nil {
			return err
		}
		program, err := podProgram()
		if err != nil {
			return err
		}
		return inPod(ctx, lab, args[0], []string{program, "probe", string(encoded)})
	})
	return command
}

// addOptions adds what the commands of all probes but flows have in common.
func addOptions(command *cobra.Command, options *probe.Options) {
	command.Long = command.Short +
		". It prints JSON, with latencies in milliseconds, and fails if there is no answer at all. " + fromPod
	flags := command.Flags()
	flags.IntVar(&options.Count, "count", 3, "how often to ask")
	flags.DurationVar(&options.Interval, "interval", 200*time.Millisecond, "time from one question to the next")
	flags.BoolVar(&options.UntilAnswer, "until-answer", false, "stop at the first answer")
	flags.DurationVar(&options.Timeout, "timeout", time.Second, "how long to wait for an answer")
}

func newPing(folder func() (string, error)) *cobra.Command {
	request := &probe.Request{}
	command := newProbe(folder, request, &cobra.Command{
		Use: "ping POD ADDRESS", Short: "Ping an address from a pod", Example: "  liqo-lab ping rome/default/a 10.71.1.10",
	})
	addOptions(command, &request.Options)
	flags := command.Flags()
	flags.IntVar(&request.Size, "size", 56, "bytes in each question, without the 28 of its headers")
	flags.BoolVar(&request.Whole, "df", false, "no router may take a question to pieces")
	flags.BoolVar(&request.Announce, "announce", false, "say on stderr when the first answer has come")
	return command
}

func newHTTP(folder func() (string, error)) *cobra.Command {
	request := &probe.Request{}
	command := newProbe(folder, request, &cobra.Command{
		Use: "http POD URL", Short: "Get a URL from a pod; a pod answers on port 80 with its name and the request's source",
		Example: "  liqo-lab http rome/default/a http://10.71.1.10",
	})
	addOptions(command, &request.Options)
	return command
}

func newUDP(folder func() (string, error)) *cobra.Command {
	request := &probe.Request{}
	command := newProbe(folder, request, &cobra.Command{
		Use: "udp POD ADDRESS", Short: "Send datagrams to port 80 of a pod's address, each from another port",
		Example: "  liqo-lab udp rome/default/a 10.71.1.10",
	})
	addOptions(command, &request.Options)
	return command
}

// newFlow returns the command that measures one flow from a pod.
func newFlow(folder func() (string, error)) *cobra.Command {
	request := &probe.Request{Announce: true}
	command := newProbe(folder, request, &cobra.Command{
		Use: "flow POD ADDRESS", Short: "Measure one flow from a pod to an address until Ctrl-C",
		Example: "  liqo-lab flow rome/default/a 10.71.1.10 --protocol=udp",
		Long: "Send packets of one identity from a pod to a pod's address until Ctrl-C, and then until one more is " +
			"answered: requests of one ping, datagrams\nbetween two ports, or requests on one connection. It prints JSON. " +
			fromPod,
	})
	flags := command.Flags()
	flags.StringVar(&request.Flow.Protocol, "protocol", "icmp", strings.Join(probe.Protocols, ", "))
	flags.DurationVar(&request.Flow.Interval, "interval", 100*time.Millisecond, "time from one packet to the next")
	flags.DurationVar(&request.Flow.Grace, "grace", time.Minute, "how long to wait for one more answer at the end")
	flags.BoolVar(&request.StopOnStdinEOF, "stop-on-stdin-eof", false,
		"end at the end of stdin, too, for programs that start it as a child")
	return command
}
