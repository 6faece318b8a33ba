package connectivity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// run creates a pod on each of the nodes, and returns when done is true for all of them.
func (s *station) run(
	ctx context.Context, waitedFor string, build func(node int) *corev1.Pod, done func(*corev1.Pod) bool,
) ([]*corev1.Pod, error) {
	pods := make([]*corev1.Pod, len(s.names))
	for i := range pods {
		pods[i] = build(i)
	}
	s.pods = append(s.pods, pods...)
	return pods, s.onEachNode(waitedFor, func(node int) error {
		pod := pods[node]
		if err := s.Leaf.Create(ctx, pod); err != nil {
			return err
		}
		return s.await(ctx, pod, waitedFor, func() bool { return done(pod) })
	})
}

// ask adds a container to the listener's pod on each of the nodes, and returns what the containers report. The pods are
// known to Liqo since long: a pod of its own would first have to become so.
func (s *station) ask(
	ctx context.Context, name, waitedFor, script string, args func(node int) []string,
) ([]report, error) {
	reports := make([]report, len(s.names))
	return reports, s.onEachNode(waitedFor, func(node int) error {
		pod := s.listeners[node]
		before := pod.DeepCopy()
		pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon(s.container(name, script, args(node)...)),
		})
		patch := client.StrategicMergeFrom(before)
		if err := s.Leaf.PatchPart(ctx, "ephemeralcontainers", pod, patch); err != nil {
			return err
		}
		err := s.await(ctx, pod, waitedFor, func() bool { return terminated(pod, name) != nil && !hasEnded(pod) })
		if err != nil {
			return err
		}
		reports[node], err = parseReport(lastWords(terminated(pod, name)))
		if err != nil {
			return s.failed(pod, err)
		}
		return nil
	})
}

// await returns when done is true for a pod. A pod that ends before has failed.
func (s *station) await(ctx context.Context, pod *corev1.Pod, waitedFor string, done func() bool) error {
	err := s.Leaf.UntilObject(ctx, pod, func(exists bool) bool { return !exists || done() || hasEnded(pod) })
	switch {
	case err != nil:
		return explain.Pod(ctx, s.Leaf, pod, waitedFor, err)
	case !done():
		return s.failed(pod, errors.New(whyEnded(pod)))
	}
	return nil
}

// failed is the error of a pod that could not do its work.
func (s *station) failed(pod *corev1.Pod, err error) error {
	return &trouble.Problem{
		ID: "test-pod-failed", Leaf: s.Leaf.Name,
		Summary: cmp.Or(lack(err.Error()), "a pod of the test could not do its work"),
		Evidence: []string{trouble.Sentence(fmt.Sprintf("%s on node %q, with image %s: %s", s.Leaf.Describe(pod),
			pod.Spec.NodeName, s.image.name, trouble.ShownLines(err.Error())))},
		Advice: adviceFor(pod),
	}
}

// lack says what an image lacks, by what its programs or the container runtime say. It is empty if they say something
// else.
func lack(said string) string {
	says := func(part string) bool { return strings.Contains(strings.ToLower(said), part) }
	switch {
	case says(`"sh": executable file not found`):
		return "the test's image lacks a shell"
	case says("there is no ping"), says("busybox"), says("usage:"), says("invalid option"), says("unrecognized option"):
		return "the test's image lacks the ping of iputils"
	default:
		return ""
	}
}

// adviceFor says what to do about a pod that could not do its work, by the reason that the kubelet gives.
func adviceFor(pod *corev1.Pod) string {
	const cordon = "or cordon it: the test leaves out cordoned nodes."
	switch reason := refusal(pod); {
	case reason == "":
		return fmt.Sprintf("The image needs a POSIX shell and the ping of iputils without file capabilities, and node %q "+
			"must allow a pod the sysctl %s. Another image can be set with `image`.", pod.Spec.NodeName, pingGroups)
	case reason == "SysctlForbidden":
		return fmt.Sprintf("Let the kubelet of this node allow the sysctl %s, %s", pingGroups, cordon)
	case strings.HasPrefix(reason, "OutOf"), reason == "Evicted", reason == "Preempting":
		return fmt.Sprintf("Free capacity on this node, %s A pod requests %s of CPU and %s of memory.",
			cordon, requestedCPU, requestedMemory)
	default:
		return "Check this node, " + cordon
	}
}

// sweep removes the pods of earlier tests, which ended without doing so. There is only one test of two leaves at a
// time.
func (s *station) sweep(ctx context.Context) error {
	var list corev1.PodList
	// Several gateways may be in one namespace.
	ours := client.MatchingLabels{componentLabel: component, remoteLabel: s.labels[remoteLabel]}
	if err := s.Leaf.List(ctx, &list, client.InNamespace(s.namespace()), ours); err != nil {
		return err
	}
	left := make([]*corev1.Pod, len(list.Items))
	for i := range left {
		left[i] = &list.Items[i]
	}
	return s.remove(ctx, left)
}

// remove removes pods at once, also those that are gone.
func (s *station) remove(ctx context.Context, pods []*corev1.Pod) error {
	return errors.Join(parallel.Map(pods, func(pod *corev1.Pod) error {
		return s.Leaf.Persist(ctx, func() error { return s.Leaf.Delete(ctx, pod, client.GracePeriodSeconds(0)) })
	})...)
}
