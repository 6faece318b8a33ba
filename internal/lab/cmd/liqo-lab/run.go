package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

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
		address, err := runPod(command.Context(), cluster.Kubeconfig, parts[1], parts[2], node)
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
func runPod(ctx context.Context, kubeconfig, namespace, name, node string) (string, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return "", err
	}
	in, err := client.NewWithWatch(config, client.Options{Scheme: scheme.Scheme})
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
