package explain

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestTheErrorSaysWhyAPodIsNotReady(t *testing.T) {
	const crash, backOff = "CrashLoopBackOff", "back-off 10s restarting failed container"
	ended := waitingPod(crash, backOff)
	ended.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 2, Reason: "Error", Message: "no device",
	}
	unscheduled := corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available",
	}
	const doesNotRun, describe = "the gateway's pod does not run", "kubectl -n liqo-tenant-rome describe pod gw-rome"
	for name, test := range map[string]struct {
		pod     *corev1.Pod
		events  []client.Object
		summary string
		detail  []string
	}{
		"no room for it": {
			gatewayPod(corev1.PodStatus{Conditions: []corev1.PodCondition{unscheduled}}), nil,
			"the gateway's pod can't be scheduled", []string{
				"The scheduler reports for Pod liqo-tenant-rome/gw-rome: 0/1 nodes are available.",
				"while that apply waits, run:\n\n  kubectl -n liqo-tenant-rome delete deployment gw-rome",
			},
		},
		"no image": {
			waitingPod("ImagePullBackOff", "Back-off pulling image: not found"), nil, "the gateway's image can't be pulled",
			[]string{"can't pull image ghcr.io/liqotech/gateway/wireguard:v1.2.0 of Pod liqo-tenant-rome/gw-rome, " +
				"container wireguard: Back-off"},
		},
		"it crashes": {
			waitingPod(crash, backOff), nil, doesNotRun,
			[]string{"Container wireguard of Pod liqo-tenant-rome/gw-rome is waiting (CrashLoopBackOff): back-off 10s",
				"logs gw-rome -c wireguard --previous"},
		},
		"it crashes with a message": {
			ended, nil, doesNotRun, []string{"failed container.\nIts last run ended with exit code 2 (Error). no device."},
		},
		"it has no Secret": {
			waitingPod("CreateContainerConfigError", "secret \"keys\" not found"), nil, doesNotRun,
			[]string{"is waiting (CreateContainerConfigError): secret \"keys\" not found.\n\n" +
				"The pod's events show more:\n\n  " + describe},
		},
		"its container can't be started": {
			waitingPod("RunContainerError", "exec failed"), nil, doesNotRun, []string{describe},
		},
		"it waits for a volume, by its newest events": {
			waitingPod("ContainerCreating", ""), []client.Object{
				warning("pod", "Old", "long ago", time.Hour),
				warning("pod", "FailedMount", "secret \"keys\" not found", time.Second),
				warning("pod", "FailedMount", "secret \"keys\" not found", time.Minute),
				warning("another pod", "Other", "of another pod", 0),
			},
			"the gateway's pod is not ready", []string{
				"Pod liqo-tenant-rome/gw-rome is in phase Pending and not ready.\n" +
					"Event FailedMount: secret \"keys\" not found.\nEvent Old: long ago.\n\n",
				"allow more time in `timeouts`", describe,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := runningAs(corev1.ServiceTypeNodePort, test.pod)
			says(t, told(t, append(gateway, test.events...)...), test.summary, test.detail...)
		})
	}
}

func TestAPodThatIsMarkedForDeletionIsNotTheCause(t *testing.T) {
	old := waitingPod("CrashLoopBackOff", "back-off 10s")
	old.Name, old.DeletionTimestamp, old.Finalizers = "gw-rome-old", new(metav1.Now()), []string{"example.com/hold"}
	says(t, told(t, append(runningGateway(), old)...), `the key of "rome" is missing`)
}

func TestTheTroubleOfAPodDependsOnWhatItBelongsTo(t *testing.T) {
	pod := waitingPod("ErrImagePull", "not found")
	asked := readyPod()
	asked.Status.EphemeralContainerStatuses = pod.Status.ContainerStatuses
	s := milan(t, runningAs(corev1.ServiceTypeNodePort, pod)...)
	for name, test := range map[string]struct {
		err  error
		want trouble.ID
	}{
		"the gateway": {late(t, s), "gateway-image-not-pulled"},
		"the test":    {lateTest(t, pod), "test-not-run"},
		"a container that a pod of the test gets": {lateTest(t, asked), "test-not-run"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Troubles(test.err); !slices.Equal(got, []trouble.ID{test.want}) {
				t.Errorf("the troubles are %q, want %s", got, test.want)
			}
		})
	}
}

// lateTest returns the error of a wait for a pod of a test on Milan that did not end.
func lateTest(t *testing.T, pod *corev1.Pod) error {
	t.Helper()
	return Pod(t.Context(), milan(t).Leaf, pod, "an end", context.DeadlineExceeded)
}

func TestTheAdviceAboutAPodOfTheTestHoldsAfterTheTest(t *testing.T) {
	const events = "The test removes its pods when it ends. Their events stay for about an hour:\n\n" +
		"  kubectl -n liqo-tenant-rome get events --field-selector involvedObject.name=gw-rome"
	const node = "Check node \"first\", or cordon it: the test leaves out cordoned nodes."
	const slow = "A liqo_connectivity_test resource, unlike the action, can allow more time in `timeouts`."
	for name, test := range map[string]struct {
		pod    *corev1.Pod
		advice string
	}{
		"that is not ready":     {waitingPod("ContainerCreating", ""), node + " " + slow + " " + events},
		"that can't be created": {waitingPod("CreateContainerError", "no"), node + " " + events},
		"that does not end":     {readyPod(), "Lower `packet_count` or `max_nodes`. " + slow},
	} {
		t.Run(name, func(t *testing.T) {
			test.pod.Spec.NodeName = "first"
			if text := Detail(lateTest(t, test.pod)); !strings.HasSuffix(text, "\n\n"+test.advice) {
				t.Errorf("got:\n%s", text)
			}
		})
	}
}
