package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// podOwner is what a pod belongs to. The IDs and the advice depend on it.
type podOwner struct {
	whose                        string // such as "the gateway"
	notPulled, notReady, failing trouble.ID

	wait func(*corev1.Pod) string                         // advice about a pod that is not ready
	look func(*corev1.Pod, corev1.ContainerStatus) string // advice about a pod with a container that does not run
}

var (
	podOfGateway = podOwner{
		whose:     "the gateway",
		notPulled: "gateway-image-not-pulled", notReady: "gateway-pod-not-ready", failing: "gateway-pod-failing",
		wait: func(pod *corev1.Pod) string {
			return "If the pod is only slow, allow more time in `timeouts` and apply again. Otherwise, see what it does:" +
				"\n\n" + describing(pod)
		},
		look: func(pod *corev1.Pod, container corev1.ContainerStatus) string {
			if container.State.Waiting.Reason != "CrashLoopBackOff" { // there is no log of a former run
				return "The pod's events show more:\n\n" + describing(pod)
			}
			return fmt.Sprintf("Its log shows more:\n\n  kubectl -n %s logs %s -c %s --previous",
				pod.Namespace, pod.Name, container.Name)
		},
	}
	podOfTest = podOwner{
		whose:     "the test",
		notPulled: "test-not-run", notReady: "test-not-run", failing: "test-not-run",
		wait: func(pod *corev1.Pod) string { return checkNode(pod) + " " + moreTimeForTest + " " + eventsAfter(pod) },
		look: func(pod *corev1.Pod, _ corev1.ContainerStatus) string { return checkNode(pod) + " " + eventsAfter(pod) },
	}
)

func describing(pod *corev1.Pod) string {
	return fmt.Sprintf("  kubectl -n %s describe pod %s", pod.Namespace, pod.Name)
}

const moreTimeForTest = "A liqo_connectivity_test resource, unlike the action, can allow more time in `timeouts`."

func checkNode(pod *corev1.Pod) string {
	return fmt.Sprintf("Check node %q, or cordon it: the test leaves out cordoned nodes.", pod.Spec.NodeName)
}

func eventsAfter(pod *corev1.Pod) string {
	return fmt.Sprintf("The test removes its pods when it ends. Their events stay for about an hour:\n\n"+
		"  kubectl -n %s get events --field-selector involvedObject.name=%s", pod.Namespace, pod.Name)
}

// Pod is [Wait] for a pod of the connectivity test.
func Pod(ctx context.Context, leaf *cluster.Leaf, pod *corev1.Pod, waitedFor string, err error) error {
	causes := func(ctx context.Context) ([]cause, error) {
		found, err := podNotReady(ctx, leaf, pod, podOfTest)
		return ranked(rankPod, found), err
	}
	nothing := func(_ context.Context, waitedFor string) trouble.Problem {
		c := gaveUp("test-not-run", waitedFor)
		c.Evidence = []string{fmt.Sprintf("%s on node %q runs, and has not done it yet.", leaf.Describe(pod),
			pod.Spec.NodeName)}
		c.Advice = "Lower `packet_count` or `max_nodes`. " + moreTimeForTest
		return c
	}
	return waited(ctx, leaf, lookout{causes, nothing}, waitedFor, err)
}

// podNotReady returns the cause why a pod is not ready, or nil if it is ready.
func podNotReady(ctx context.Context, leaf *cluster.Leaf, pod *corev1.Pod, owner podOwner) ([]trouble.Problem, error) {
	for _, container := range pod.Status.EphemeralContainerStatuses { // a pod is ready without them
		if c, ok := ofContainer(leaf, pod, container, owner); ok {
			return []trouble.Problem{c}, nil
		}
	}
	if ready := condition(pod, corev1.PodReady); ready != nil && ready.Status == corev1.ConditionTrue {
		return nil, nil
	}
	if verdict := Unscheduled(leaf, pod); verdict != "" {
		return []trouble.Problem{{
			ID:       "gateway-not-scheduled", // the pods of the test have a node from the start
			Summary:  "the gateway's pod can't be scheduled",
			Evidence: []string{verdict},
			Advice: "Add a node that can take it to the leaf, or correct `pods` or the gateway's template and apply again. " +
				"Liqo does not change the Deployment of a gateway that has no running pod. So while that apply waits, run:\n\n" +
				fmt.Sprintf("  kubectl -n %s delete deployment %s", pod.Namespace,
					gatewayforge.GatewayResourceName(pod.Labels[consts.GatewayNameLabel])),
		}}, nil
	}
	c := trouble.Problem{
		ID:       owner.notReady,
		Summary:  owner.whose + "'s pod is not ready",
		Evidence: []string{fmt.Sprintf("%s is in phase %s and not ready.", leaf.Describe(pod), pod.Status.Phase)},
		Advice:   owner.wait(pod),
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if c, ok := ofContainer(leaf, pod, container, owner); ok {
			return []trouble.Problem{c}, nil // the other containers wait for this one, or for the same reason
		}
	}
	events, err := warnings(ctx, leaf, pod)
	c.Evidence = append(c.Evidence, events...)
	return []trouble.Problem{c}, err
}

// Unscheduled returns a sentence with the scheduler's reason why no node takes the pod. It is empty if one does, or if
// the scheduler has not decided yet.
func Unscheduled(leaf *cluster.Leaf, pod *corev1.Pod) string {
	scheduled := condition(pod, corev1.PodScheduled)
	if scheduled == nil || scheduled.Status != corev1.ConditionFalse {
		return ""
	}
	return fmt.Sprintf("The scheduler reports for %s: %s", leaf.Describe(pod), trouble.ShownLines(scheduled.Message))
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
	leaf *cluster.Leaf, pod *corev1.Pod, container corev1.ContainerStatus, owner podOwner,
) (trouble.Problem, bool) {
	waiting := container.State.Waiting
	switch {
	case waiting == nil, waiting.Reason == "ContainerCreating", waiting.Reason == "PodInitializing":
		return trouble.Problem{}, false
	case slices.Contains(pullFailures, waiting.Reason):
		return trouble.Problem{
			ID:      owner.notPulled,
			Summary: owner.whose + "'s image can't be pulled",
			Evidence: []string{
				fmt.Sprintf("The kubelet can't pull image %s of %s, container %s: %s",
					trouble.Shown(container.Image), leaf.Describe(pod), container.Name, trouble.ShownLines(waiting.Message)),
			},
			Advice: fmt.Sprintf("Check that the nodes of leaf %q can reach this registry and may pull this image.",
				leaf.Name),
		}, true
	}
	evidence := []string{sentence(strings.TrimSpace(fmt.Sprintf("Container %s of %s is waiting (%s): %s",
		container.Name, leaf.Describe(pod), trouble.Shown(waiting.Reason), trouble.ShownLines(waiting.Message))))}
	if last := container.LastTerminationState.Terminated; last != nil {
		evidence = append(evidence, strings.TrimSpace(fmt.Sprintf("Its last run ended with exit code %d (%s). %s",
			last.ExitCode, trouble.Shown(last.Reason), trouble.ShownLines(last.Message))))
	}
	return trouble.Problem{
		ID:       owner.failing,
		Summary:  owner.whose + "'s pod does not run",
		Evidence: evidence,
		Advice:   owner.look(pod, container),
	}, true
}
