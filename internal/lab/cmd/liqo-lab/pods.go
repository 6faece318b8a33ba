package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/probe"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// fromPod explains the name of a pod in the help of each command that takes one.
const fromPod = "The pod is named cluster/namespace/name. It takes root, and a lab with --dataplane=real."

// inPod replaces this process with a program in the network of a pod or a node. It returns only on an error.
func (c *cli) inPod(ctx context.Context, pod string, args ...string) error {
	described, err := c.send(ctx, "where", pod)
	if err != nil {
		return err
	}
	var held place
	if err := json.Unmarshal([]byte(described), &held); err != nil {
		return err
	}
	return sandbox.Enter(held.PID, false, args, os.Environ())
}

func newExec(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "exec PLACE -- PROGRAM [ARGUMENT...]",
		Short:   "Run a program of this machine in the network of a pod or a node",
		Long:    "Run a program of this machine in the network of a pod or a node. It takes root. " + atPlace,
		Example: "  liqo-lab exec rome/default/a -- ip route\n  liqo-lab exec rome/rome-node -- ip rule",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			program, err := exec.LookPath(args[1])
			if err != nil {
				return err
			}
			return c.inPod(command.Context(), args[0], append([]string{program}, args[2:]...)...)
		},
	}
}

// probe completes a command that runs a probe from a pod. Its flags set the rest of the request.
func (c *cli) probe(request *probe.Request, command *cobra.Command) *cobra.Command {
	command.Args = cobra.ExactArgs(2)
	command.RunE = func(command *cobra.Command, args []string) error {
		request.Kind, request.Target = command.Name(), args[1]
		encoded, err := json.Marshal(request)
		if err != nil {
			return err
		}
		program, err := podProgram()
		if err != nil {
			return err
		}
		return c.inPod(command.Context(), args[0], program, "probe", string(encoded))
	}
	return command
}

// newProbe returns the command of a probe that asks again and again: of any but a flow.
func (c *cli) newProbe(use, short, example string) (*cobra.Command, *probe.Request) {
	request := &probe.Request{}
	command := c.probe(request, &cobra.Command{
		Use: use, Short: short, Example: "  liqo-lab " + example,
		Long: short + ". It prints JSON, with latencies in milliseconds, and fails if there is no answer at all. " + fromPod,
	})
	flags, options := command.Flags(), &request.Options
	flags.IntVar(&options.Count, "count", 3, "how often to ask")
	flags.DurationVar(&options.Interval, "interval", 200*time.Millisecond, "time from one question to the next")
	flags.BoolVar(&options.UntilAnswer, "until-answer", false, "stop at the first answer")
	flags.DurationVar(&options.Timeout, "timeout", time.Second, "how long to wait for an answer")
	return command, request
}

func newPing(c *cli) *cobra.Command {
	command, request := c.newProbe("ping POD ADDRESS", "Ping an address from a pod", "ping rome/default/a 10.71.1.10")
	flags := command.Flags()
	flags.IntVar(&request.Size, "size", 56, "bytes in each question, without the 28 of its headers")
	flags.BoolVar(&request.Whole, "df", false, "no router may take a question to pieces")
	flags.BoolVar(&request.Announce, "announce", false, "say on stderr when the first answer has come")
	return command
}

func newHTTP(c *cli) *cobra.Command {
	command, _ := c.newProbe("http POD URL",
		"Get a URL from a pod; a pod answers on port 80 with its name and the request's source",
		"http rome/default/a http://10.71.1.10")
	return command
}

func newUDP(c *cli) *cobra.Command {
	command, _ := c.newProbe("udp POD ADDRESS", "Send datagrams to port 80 of a pod's address, each from another port",
		"udp rome/default/a 10.71.1.10")
	return command
}

// newFlow returns the command that measures one flow from a pod.
func newFlow(c *cli) *cobra.Command {
	request := &probe.Request{Announce: true}
	command := c.probe(request, &cobra.Command{
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

// podProgram returns the file of liqo-pod, which a lab runs in its pods and nodes. It is beside this program.
func podProgram() (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", err
	}
	return podProgramIn(filepath.Dir(executable))
}

func podProgramIn(folder string) (string, error) {
	program := filepath.Join(folder, "liqo-pod")
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("the program that a lab runs in its pods and nodes is missing: %w\n"+
			"build it in the repository: go -C internal/lab build -o %s/ ./cmd/liqo-pod", err, folder)
	}
	return program, nil
}

func newRun(c *cli) *cobra.Command {
	var node string
	command := c.onState(&cobra.Command{
		Use:   "run POD",
		Short: "Start a pod that answers pings and HTTP, unless it runs, and print its address",
		Long: "Start a pod that answers pings, and HTTP at port 80, unless there is one of that name, " +
			"and print its address when it runs.\n" +
			"The pod is named cluster/namespace/name. It answers in a lab with --dataplane=real only.",
		Example: "  liqo-lab run rome/default/a\n  liqo-lab run rome/default/b --node rome-node-2",
		Args:    cobra.ExactArgs(1),
	}, func(command *cobra.Command, state labdir.State, args []string) error {
		parts := strings.Split(args[0], "/")
		if len(parts) != 3 {
			return fmt.Errorf("%q is not cluster/namespace/name of a pod", args[0])
		}
		cluster, err := named(state.Clusters, parts[0])
		if err != nil {
			return err
		}
		address, err := runPod(command.Context(), cluster, parts[1], parts[2], node)
		if err == nil {
			fmt.Fprintln(command.OutOrStdout(), address)
		}
		return err
	})
	command.Flags().StringVar(&node, "node", "", "the node that runs it (default: one that the scheduler chooses)")
	return command
}

// runPod starts a pod on a node, or on any if none is named, unless there is one of that name. It returns its address
// when it runs.
func runPod(ctx context.Context, cluster labdir.Cluster, namespace, name, node string) (string, error) {
	in, err := clientFor(cluster)
	if err != nil {
		return "", err
	}
	label := map[string]string{"run": name} // as of kubectl run
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: label},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "echo", Image: "echo"}}},
	}
	if err := in.Create(ctx, pod); err != nil && !apierrors.IsAlreadyExists(err) {
		return "", err
	}
	var address string
	err = kube.Await(ctx, in, &corev1.Pod{}, func(p *corev1.Pod) bool {
		address = p.Status.PodIP
		return p.Name == name && p.Status.Phase == corev1.PodRunning
	}, client.InNamespace(namespace))
	return address, err
}
