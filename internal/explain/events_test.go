package explain

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTheNewestEventsAreTheOnesThatAreTold(t *testing.T) {
	repeated, reported := warning("pod", "Repeated", "again and again", time.Hour), warning("pod", "Reported", "by a newer library", time.Hour)
	repeated.Series = &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC))}
	reported.EventTime = metav1.NewMicroTime(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	normal := warning("pod", "Pulled", "all is well", 0)
	normal.Type = corev1.EventTypeNormal
	says(t, told(t, exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeNodePort), waitingPod("ContainerCreating", ""),
		warning("pod", "Recent", "a minute ago", time.Minute), repeated, reported, normal),
		"the gateway's pod is not ready", "not ready.\nEvent Repeated: again and again.\nEvent Reported: by a newer library.\n\n")
}
