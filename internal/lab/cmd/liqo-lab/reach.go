package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// probing has the flags of a probe. The probe gets them twice: outside of the pod's network, and in
// it.
type probing struct {
	probe.Options
	size      int
	whole     bool
	announces bool
}

func (p *probing) flags(flags *pflag.FlagSet) {
	flags.IntVar(&p.Count, "count", 3, "how often to ask")
	flags.DurationVar(&p.Interval, "interval", 200*time.Millisecond, "time from one question to the next")
	flags.BoolVar(&p.UntilAnswer, "until-answer", false, "stop at the first answer")
	flags.DurationVar(&p.Timeout, "timeout", time.Second, "how long to wait for an answer")
}

func (p *probing) pingFlags(flags *pflag.FlagSet) {
	p.flags(flags)
	flags.IntVar(&p.size, "size", 56, "bytes in each question, without the 28 of its headers")
	flags.BoolVar(&p.whole, "df", false, "no router may take a question to pieces")
	flags.BoolVar(&p.announces, "announce", false, "say on stderr when the first answer has come")
}

// again returns the command line of the same probe in the pod's network.
func (p *probing) again(kind, target string) ([]string, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{
		executable, "probe", kind, target,
		"--count", strconv.Itoa(p.Count),
		"--interval", p.Interval.String(),
		"--timeout", p.Timeout.String(),
		fmt.Sprintf("--until-answer=%t", p.UntilAnswer),
	}
	if kind == "ping" {
		args = append(args, "--size", strconv.Itoa(p.size), fmt.Sprintf("--df=%t", p.whole),
			fmt.Sprintf("--announce=%t", p.announces))
	}
	return args, nil
}

// newFrom returns the command of a probe from a pod.
func newFrom(folder func() (string, error), p *probing, command *cobra.Command) *cobra.Command {
	kind := command.Name()
	command.Args = cobra.ExactArgs(2)
	command.Long = command.Short +
		". It prints JSON, with latencies in milliseconds, and fails if there is no answer at all. " + fromPod
	command.RunE = onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
		again, err := p.again(kind, args[1])
		if err != nil {
			return err
		}
		return inPod(ctx, lab, args[0], again)
	})
	return command
}

func newPing(folder func() (string, error)) *cobra.Command {
	p := &probing{}
	command := newFrom(folder, p, &cobra.Command{
		Use: "ping POD ADDRESS", Short: "Ping an address from a pod", Example: "  liqo-lab ping rome/default/a 10.71.1.10",
	})
	p.pingFlags(command.Flags())
	return command
}

func newHTTP(folder func() (string, error)) *cobra.Command {
	p := &probing{}
	command := newFrom(folder, p, &cobra.Command{
		Use: "http POD URL", Short: "Get a URL from a pod; a pod answers on port 80 with its name and the request's source",
		Example: "  liqo-lab http rome/default/a http://10.71.1.10",
	})
	p.flags(command.Flags())
	return command
}

func newUDP(folder func() (string, error)) *cobra.Command {
	p := &probing{}
	command := newFrom(folder, p, &cobra.Command{
		Use: "udp POD ADDRESS", Short: "Send datagrams to port 80 of a pod's address, each from another port",
		Example: "  liqo-lab udp rome/default/a 10.71.1.10",
	})
	p.flags(command.Flags())
	return command
}

// newFlow returns the command that measures one flow from a pod.
func newFlow(folder func() (string, error)) *cobra.Command {
	var options flowing
	command := &cobra.Command{
		Use: "flow POD ADDRESS", Short: "Measure one flow from a pod to an address until Ctrl-C", Args: cobra.ExactArgs(2),
		Example: "  liqo-lab flow rome/default/a 10.71.1.10 --protocol=udp",
		Long: "Send packets of one identity from a pod to a pod's address until Ctrl-C, and then until one more is " +
			"answered: requests of one ping, datagrams\nbetween two ports, or requests on one connection. It prints JSON. " +
			fromPod,
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			executable, err := os.Executable()
			if err != nil {
				return err
			}
			return inPod(ctx, lab, args[0], []string{
				executable, "probe", "flow", args[1], "--protocol", options.Protocol,
				"--interval", options.Interval.String(), "--grace", options.Grace.String(),
				fmt.Sprintf("--stop-on-stdin-eof=%t", options.stopOnStdinEOF),
			})
		}),
	}
	options.flags(command.Flags())
	return command
}

// flowing has the flags of a flow.
type flowing struct {
	probe.FlowOptions
	stopOnStdinEOF bool
}

func (f *flowing) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.Protocol, "protocol", "icmp", strings.Join(probe.Protocols, ", "))
	flags.DurationVar(&f.Interval, "interval", 100*time.Millisecond, "time from one packet to the next")
	flags.DurationVar(&f.Grace, "grace", time.Minute, "how long to wait for one more answer at the end")
	flags.BoolVar(&f.stopOnStdinEOF, "stop-on-stdin-eof", false,
		"end at the end of stdin, too, for programs that start it as a child")
}

// newProbe returns the command of a probe from the current network.
func newProbe() *cobra.Command {
	parent := &cobra.Command{Use: "probe", Hidden: true}
	p := &probing{}
	ping := &cobra.Command{Use: "ping ADDRESS", Args: cobra.ExactArgs(1)}
	ping.RunE = func(command *cobra.Command, args []string) error {
		address, err := netip.ParseAddr(args[0])
		if err != nil || !address.Is4() {
			return fmt.Errorf("%q is not an IPv4 address", args[0])
		}
		if p.announces {
			p.Answered = announce
		}
		result, err := probe.Ping(command.Context(), address, p.size, p.whole, p.Options)
		if err != nil {
			return err
		}
		return show(result)
	}
	p.pingFlags(ping.Flags())
	get := &probing{}
	http := &cobra.Command{Use: "http URL", Args: cobra.ExactArgs(1)}
	http.RunE = func(command *cobra.Command, args []string) error {
		return show(probe.HTTP(command.Context(), args[0], get.Options))
	}
	get.flags(http.Flags())
	datagrams := &probing{}
	udp := &cobra.Command{Use: "udp ADDRESS", Args: cobra.ExactArgs(1)}
	udp.RunE = func(command *cobra.Command, args []string) error {
		address, err := netip.ParseAddr(args[0])
		if err != nil {
			return err
		}
		return show(probe.UDP(command.Context(), address, datagrams.Options))
	}
	datagrams.flags(udp.Flags())
	options := flowing{FlowOptions: probe.FlowOptions{Answered: announce}}
	flow := &cobra.Command{Use: "flow ADDRESS", Args: cobra.ExactArgs(1)}
	flow.RunE = func(command *cobra.Command, args []string) error {
		address, err := netip.ParseAddr(args[0])
		if err != nil {
			return err
		}
		ctx, stop := context.WithCancel(command.Context())
		defer stop()
		if options.stopOnStdinEOF {
			go atStdinEOF(stop)
		}
		result, err := probe.Flow(ctx, address, options.FlowOptions)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	options.flags(flow.Flags())
	parent.AddCommand(ping, http, udp, flow)
	return parent
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
