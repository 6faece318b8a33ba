package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Pod is [Wait] for a pod that is not a gateway's. Whose names what it belongs to, such as "the test".
func Pod(ctx context.Context, leaf *cluster.Leaf, pod *corev1.Pod, whose, waitedFor string, err error) error {
	return waited(ctx, leaf, func(ctx context.Context) ([]cause, error) {
		causes, err := podNotReady(ctx, leaf, pod, whose)
		for i := range causes {
			causes[i].rank = rankPod
		}
		return causes, err
	}, waitedFor, err)
}

// podNotReady returns the cause why a pod is not ready, or nil if it is ready. Whose names what it belongs to.
func podNotReady(ctx context.Context, leaf *cluster.Leaf, pod *corev1.Pod, whose string) ([]cause, error) {
	scheduled, ready := condition(pod, corev1.PodScheduled), condition(pod, corev1.PodReady)
	if ready != nil && ready.Status == corev1.ConditionTrue {
		return nil, nil
	}
	if scheduled != nil && scheduled.Status == corev1.ConditionFalse {
		return []cause{{
			summary: whose + "'s pod can't be scheduled",
			evidence: []string{fmt.Sprintf("The scheduler reports for %s: %s", leaf.Describe(pod),
				cluster.Shown(scheduled.Message))},
			advice: fmt.Sprintf("Add a node with free capacity to the leaf, or request less in %s's template.", whose),
		}}, nil
	}
	c := cause{
		summary:  whose + "'s pod is not ready",
		evidence: []string{fmt.Sprintf("%s is in phase %s and not ready.", leaf.Describe(pod), pod.Status.Phase)},
		advice: fmt.Sprintf("If the pod is only slow, allow more time in `timeouts` and apply again. Otherwise, see what "+
			"it does:\n\n  kubectl -n %s describe pod %s", pod.Namespace, pod.Name),
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if c, ok := ofContainer(leaf, pod, container, whose); ok {
			return []cause{c}, nil // the other containers wait for this one, or for the same reason
		}
	}
	events, err := warnings(ctx, leaf, pod)
	c.evidence = append(c.evidence, events...)
	return []cause{c}, err
}

// condition returns the pod's condition of that type, or nil.
func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// pullFailures are the kubelet's reasons for a container without its image.
var pullFailures = []string{
	"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable",
}

// ofContainer returns the cause why one container does not run, or false if its status does not say.
func ofContainer(
	leaf *cluster.Leaf, pod *corev1.Pod, container corev1.ContainerStatus, whose string,
) (cause, bool) {
	waiting := container.State.Waiting
	switch {
	case waiting == nil, waiting.Reason == "ContainerCreating", waiting.Reason == "PodInitializing":
		return cause{}, false
	case slices.Contains(pullFailures, waiting.Reason):
		return cause{
			summary: whose + "'s image can't be pulled",
			evidence: []string{
				fmt.Sprintf("The kubelet can't pull image %s of %s, container %s: %s",
					cluster.Shown(container.Image), leaf.Describe(pod), container.Name, cluster.Shown(waiting.Message)),
			},
			advice: fmt.Sprintf("Check that the nodes of leaf %q can reach this registry and may pull this image.",
				leaf.Name),
		}, true
	}
	evidence := fmt.Sprintf("Container %s of %s is waiting (%s): %s",
		container.Name, leaf.Describe(pod), cluster.Shown(waiting.Reason), cluster.Shown(waiting.Message))
	if last := container.LastTerminationState.Terminated; last != nil {
		evidence = fmt.Sprintf("%s Its last run ended with exit code %d (%s). %s",
			sentence(evidence), last.ExitCode, cluster.Shown(last.Reason), cluster.Shown(last.Message))
	}
	return cause{
		summary:  whose + "'s pod does not run",
		evidence: []string{strings.TrimSpace(evidence)},
		advice: fmt.Sprintf("Its log shows more:\n\n  kubectl -n %s logs %s -c %s --previous",
			pod.Namespace, pod.Name, container.Name),
	}, true
}
