package shortcut

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// podFindings tell why a gateway's pod is not ready; none if it is.
func (s *side) podFindings(ctx context.Context, pod *corev1.Pod) ([]finding, error) {
	scheduled, ready := condition(pod, corev1.PodScheduled), condition(pod, corev1.PodReady)
	if ready != nil && ready.Status == corev1.ConditionTrue {
		return nil, nil
	}
	if scheduled != nil && scheduled.Status == corev1.ConditionFalse {
		return []finding{{
			rank: rankPod, summary: "the gateway's pod can't be scheduled",
			evidence: []string{fmt.Sprintf("The scheduler says of %s: %s", s.leaf.Describe(pod), scheduled.Message)},
			advice:   "Give the leaf a node that the pod fits on, or set what the pod asks for in Liqo's template of the gateway.",
		}}, nil
	}
	f := finding{
		rank: rankPod, summary: "the gateway's pod is not ready",
		evidence: []string{fmt.Sprintf("%s is in phase %s and not ready.", s.leaf.Describe(pod), pod.Status.Phase)},
		advice: fmt.Sprintf("If it only takes long to start, allow more time in `timeouts` and apply again. Else see what it does:\n\n"+
			"  kubectl -n %s describe pod %s", pod.Namespace, pod.Name),
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if trouble, ok := s.containerFinding(pod, container); ok {
			return []finding{trouble}, nil // the others wait for the same reason, or for this one
		}
	}
	events, err := s.warnings(ctx, pod.UID, pod.Namespace)
	f.evidence = append(f.evidence, events...)
	return []finding{f}, err
}

// condition is the pod's condition of that type; nil if it has none.
func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// pullFailures are the kubelet's reasons for a container without its image.
var pullFailures = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable"}

// containerFinding tells why one container does not run; false where its status does not say.
func (s *side) containerFinding(pod *corev1.Pod, container corev1.ContainerStatus) (finding, bool) {
	waiting := container.State.Waiting
	switch {
	case waiting == nil, waiting.Reason == "ContainerCreating", waiting.Reason == "PodInitializing":
		return finding{}, false
	case slices.Contains(pullFailures, waiting.Reason):
		return finding{
			rank: rankPod, summary: "the gateway's image can't be pulled",
			evidence: []string{
				fmt.Sprintf("The kubelet can't pull image %s of %s, container %s: %s",
					container.Image, s.leaf.Describe(pod), container.Name, waiting.Message),
			},
			advice: fmt.Sprintf("Check that the nodes of leaf %q can reach that registry and may pull that image.", s.leaf.Name),
		}, true
	}
	evidence := fmt.Sprintf("Container %s of %s waits (%s): %s", container.Name, s.leaf.Describe(pod), waiting.Reason, waiting.Message)
	if last := container.LastTerminationState.Terminated; last != nil {
		evidence += fmt.Sprintf(" It ended last time with exit code %d (%s). %s", last.ExitCode, last.Reason, last.Message)
	}
	return finding{
		rank: rankPod, summary: "the gateway's pod does not run",
		evidence: []string{strings.TrimSpace(evidence)},
		advice: fmt.Sprintf("Its log says more:\n\n  kubectl -n %s logs %s -c %s --previous",
			pod.Namespace, pod.Name, container.Name),
	}, true
}
