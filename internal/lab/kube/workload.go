package kube

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// workloads are the Deployments and the DaemonSet of Liqo's chart that run its programs.
var workloads = map[string]string{
	binaries.LiqoControllerManager.Name: "liqo-controller-manager",
	binaries.LiqoIPAM.Name:              "liqo-ipam",
	binaries.LiqoWebhook.Name:           "liqo-webhook",
	binaries.LiqoCRDReplicator.Name:     "liqo-crd-replicator",
	binaries.LiqoFabric.Name:            "liqo-fabric",
}

// flags are the arguments of a program.
type flags []string

// chartFlags returns the arguments with which the chart starts one of Liqo's programs. So a program of any version gets
// the flags that it knows.
func (c *Cluster) chartFlags(program binaries.Program) (flags, error) {
	objects, err := c.Chart.render(c.Spec)
	if err != nil {
		return nil, err
	}
	workload := workloads[program.Name]
	i := slices.IndexFunc(objects, func(obj *unstructured.Unstructured) bool {
		return obj.GetName() == workload && (obj.GetKind() == "Deployment" || obj.GetKind() == "DaemonSet")
	})
	if i < 0 {
		return nil, fmt.Errorf("the chart of Liqo %s has no workload %s", c.Liqo.Version, workload)
	}
	var found appsv1.Deployment // or a DaemonSet, which has its template in the same place
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[i].Object, &found); err != nil {
		return nil, fmt.Errorf("workload %s of the chart: %w", workload, err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: liqoNamespace, Name: workload}, Spec: found.Spec.Template.Spec,
	}
	container := &pod.Spec.Containers[0]
	pod.Spec.NodeName = c.firstNode().Name
	readConfigMaps(container, objects)
	_, _, args, err := kubelet.Command(pod, container)
	if err != nil {
		return nil, fmt.Errorf("workload %s of the chart: %w", workload, err)
	}
	return args, nil
}

// readConfigMaps sets the variables of a container that come from ConfigMaps of the chart.
func readConfigMaps(container *corev1.Container, objects []*unstructured.Unstructured) {
	for i := range container.Env {
		variable := &container.Env[i]
		if variable.ValueFrom == nil || variable.ValueFrom.ConfigMapKeyRef == nil {
			continue
		}
		ref := variable.ValueFrom.ConfigMapKeyRef
		for _, obj := range objects {
			if obj.GetKind() != "ConfigMap" || obj.GetName() != ref.Name {
				continue
			}
			if value, found, err := unstructured.NestedString(obj.Object, "data", ref.Key); found && err == nil {
				variable.Value, variable.ValueFrom = value, nil
			}
		}
	}
}

// change gives flags other values, in the form --name=value. It leaves those out that the program does not have.
func (f flags) change(changes ...string) flags {
	return f.replace(slices.DeleteFunc(slices.Clone(changes), func(change string) bool {
		return !slices.ContainsFunc(f, func(flag string) bool { return nameOfFlag(flag) == nameOfFlag(change) })
	})...)
}

// replace gives flags other values, in the form --name=value, and adds those that are missing.
func (f flags) replace(changes ...string) flags {
	others := slices.DeleteFunc(slices.Clone(f), func(flag string) bool {
		return slices.ContainsFunc(changes, func(change string) bool { return nameOfFlag(flag) == nameOfFlag(change) })
	})
	return append(others, changes...)
}

// without returns the flags without those of these names.
func (f flags) without(names ...string) flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag string) bool { return slices.Contains(names, nameOfFlag(flag)) })
}

// nameOfFlag returns the part of a flag before its value.
func nameOfFlag(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}

// noNode is the name of the fabric's own node, for the fabric. The fabric creates Geneve tunnels for its own node only.
// The lab uses pairs of devices instead, because not every kernel supports Geneve.
const noNode = "no-node"

// fabricFlags are the arguments of a node's fabric. Its name tells it from those of other nodes in the conditions that
// they report.
func (c *Cluster) fabricFlags(name string) (flags, error) {
	args, err := c.chartFlags(binaries.LiqoFabric)
	return args.replace("--podname="+name, "--nodename="+noNode, "--metrics-address=0", "--health-probe-bind-address=0").
		change("--enable-nft-monitor=false"), err
}
