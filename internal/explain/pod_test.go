package explain

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestTheErrorSaysWhyAPodIsNotReady(t *testing.T) {
	ended := waitingPod("CrashLoopBackOff", "back-off 10s restarting failed container")
	ended.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 2,
		Reason: "Error", Message: "no device"}
	for name, test := range map[string]struct {
		pod     *corev1.Pod
		events  []client.Object
		summary string
		detail  []string
	}{
		"no room for it": {
			gatewayPod(corev1.PodStatus{Conditions: []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available",
			}}}), nil,
			"the gateway's pod can't be scheduled",
			[]string{"The scheduler reports for Pod liqo-tenant-rome/gw-rome: 0/1 nodes are available."},
		},
		"no image": {
			waitingPod("ImagePullBackOff", "Back-off pulling image: not found"), nil,
			"the gateway's image can't be pulled",
			[]string{"can't pull image ghcr.io/liqotech/gateway/wireguard:v1.2.0 of Pod liqo-tenant-rome/gw-rome, " +
				"container wireguard: Back-off"},
		},
		"it crashes": {
			waitingPod("CrashLoopBackOff", "back-off 10s restarting failed container"), nil,
			"the gateway's pod does not run",
			[]string{"Container wireguard of Pod liqo-tenant-rome/gw-rome is waiting (CrashLoopBackOff): back-off 10s",
				"logs gw-rome -c wireguard --previous"},
		},
		"it crashes with a message": {
			ended, nil, "the gateway's pod does not run",
			[]string{"failed container. Its last run ended with exit code 2 (Error). no device."},
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
				"allow more time in `timeouts`", "kubectl -n liqo-tenant-rome describe pod gw-rome",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := []client.Object{exposedGateway(), gatewayDeployment(),
				gatewayService(corev1.ServiceTypeNodePort), test.pod}
			says(t, told(t, append(gateway, test.events...)...), test.summary, test.detail...)
		})
	}
}

func TestAPodThatIsMarkedForDeletionIsNotTheCause(t *testing.T) {
	old := waitingPod("CrashLoopBackOff", "back-off 10s restarting failed container")
	old.Name, old.DeletionTimestamp, old.Finalizers = "gw-rome-old", new(metav1.Now()), []string{"example.com/hold"}
	says(t, told(t, append(runningGateway(), old)...), `the key of "rome" is missing`)
}
