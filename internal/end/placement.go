package end

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	liqoutils "github.com/liqotech/liqo/pkg/utils"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// CheckPlacement returns why Kubernetes may not place the pods of a gateway as these settings say. The function returns
// what [End.CheckTemplate] says about them. What CheckPlacement can't find out, for example because it may not list
// nodes, is no problem.
func (e *End) CheckPlacement(
	ctx context.Context, settings liqo.Gateway, template func() (TemplateSettings, error),
) []*trouble.Problem {
	pods := settings.PodSettings()
	if pods == nil {
		return nil
	}
	var problems []*trouble.Problem
	if problem := e.checkPriorityClass(ctx, pods.PriorityClassName); problem != nil {
		problems = append(problems, problem)
	}
	var nodes corev1.NodeList
	if e.Leaf.Live.List(ctx, &nodes) != nil {
		return problems
	}
	made, err := template()
	if err != nil {
		return problems
	}
	if problem := e.checkSpread(*pods, made.Pods, nodes.Items); problem != nil {
		problems = append(problems, problem)
	}
	return append(problems, e.checkTolerations(*pods, nodes.Items)...)
}

// checkPriorityClass finds a PriorityClass that does not exist. Kubernetes creates no pod with it.
func (e *End) checkPriorityClass(ctx context.Context, name string) *trouble.Problem {
	if name == "" {
		return nil
	}
	kind := schedulingv1.SchemeGroupVersion.WithKind("PriorityClass")
	if gone, err := e.Leaf.Gone(ctx, kind, client.ObjectKey{Name: name}); err != nil || !gone {
		return nil //nolint:nilerr // what it can't find out is no problem
	}
	return &trouble.Problem{
		ID: "priority-class-missing", Leaf: e.Leaf.Name,
		Summary: "PriorityClass " + name + " does not exist",
		Advice: "Kubernetes creates no pod with it, so the gateway would have none. Create it before the apply, or change " +
			"`priority_class_name`.",
	}
}

// checkSpread finds more replicas than nodes, or other domains, that may not be shared. The spec of the pods is nil if
// nobody knows it.
func (e *End) checkSpread(pods liqo.PodSettings, spec *corev1.PodSpec, nodes []corev1.Node) *trouble.Problem {
	key := pods.Spread()
	if key == "" || spec == nil {
		return nil
	}
	domains := map[string]bool{}
	for i := range nodes {
		if domain, ok := nodes[i].Labels[key]; ok && canRun(&nodes[i], *spec) {
			domains[domain] = true
		}
	}
	if len(domains) >= int(pods.Replicas) {
		return nil
	}
	return &trouble.Problem{
		ID: "replicas-without-node", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("%d replicas of the gateway have %s", pods.Replicas, cluster.Counted(len(domains), "place")),
		Advice: fmt.Sprintf("No two replicas share a value of the label %s, and the Ready nodes where they may run have %s. "+
			"The others wait as Pending pods, and nothing takes over from the active one without a second one that runs. Add "+
			"nodes, or change `replicas`, `topology_key`, `node_selector` or `tolerations`.",
			key, cluster.Counted(len(domains), "value")),
	}
}

// canRun reports whether a node is Ready, and takes such pods. It ignores how much room the node has.
func canRun(node *corev1.Node, spec corev1.PodSpec) bool {
	repels := slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(spec.Tolerations, taint)
	})
	return liqoutils.IsNodeReady(node) && !node.Spec.Unschedulable && !repels &&
		labels.SelectorFromSet(spec.NodeSelector).Matches(labels.Set(node.Labels))
}

func tolerates(tolerations []corev1.Toleration, taint corev1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(one corev1.Toleration) bool {
		return one.ToleratesTaint(logr.Discard(), &taint, false)
	})
}

// checkTolerations finds tolerations of taints that no node has. Kubernetes itself adds the taints of
// node.kubernetes.io when something happens to a node.
func (e *End) checkTolerations(pods liqo.PodSettings, nodes []corev1.Node) []*trouble.Problem {
	var problems []*trouble.Problem
	for _, one := range pods.Tolerations {
		used := slices.ContainsFunc(nodes, func(node corev1.Node) bool {
			return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
				return tolerates([]corev1.Toleration{one}, taint)
			})
		})
		if used || one.Key == "" || strings.HasPrefix(one.Key, "node.kubernetes.io/") {
			continue
		}
		problems = append(problems, &trouble.Problem{
			ID: "toleration-without-taint", Leaf: e.Leaf.Name,
			Summary: fmt.Sprintf("no node has a taint %s that the gateway's pods would tolerate", cluster.Shown(one.Key)),
			Advice: "The toleration has no effect. Compare its key, value and effect with the taints of the nodes, which " +
				"`kubectl describe nodes` shows.",
		})
	}
	return problems
}
