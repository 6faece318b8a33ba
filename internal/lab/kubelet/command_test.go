package kubelet

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// newJob returns a pod that runs a command.
func newJob() *corev1.Pod {
	pod := newPod()
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	pod.Spec.Containers[0].Command = []string{"sh", "-c", "exit 0"}
	return pod
}

// newJobKubelet returns a kubelet with a runtime that runs the commands of a pod.
func newJobKubelet(pod *corev1.Pod) (*podReconciler, *fakeRuntime) {
	r, runtime := newKubelet(pod), newFakeRuntime()
	runtime.commands["gateway"] = nil
	r.Runtime = runtime
	return r, runtime
}

// ended is the end of a command with this exit status.
func ended(code int32, message string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: "Completed", Message: message, StartedAt: metav1.Now(), FinishedAt: metav1.Now(),
	}
}

func readyReason(pod *corev1.Pod) string {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
	return pod.Status.Conditions[i].Reason
}

func TestAPodRunsWhileItsCommandDoesAndThenSaysHowThatHasEnded(t *testing.T) {
	for name, test := range map[string]struct {
		code   int32
		phase  corev1.PodPhase
		reason string
	}{
		"well":  {0, corev1.PodSucceeded, "PodCompleted"},
		"badly": {3, corev1.PodFailed, "PodFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			r, runtime := newJobKubelet(newJob())
			step(t, r)
			pod, _ := step(t, r)
			if pod.Status.Phase != corev1.PodRunning || !isReady(pod) ||
				pod.Status.ContainerStatuses[0].State.Running == nil {
				t.Errorf("while it runs: %+v", pod.Status)
			}
			runtime.commands["gateway"] = ended(test.code, "3 received")
			pod, _ = step(t, r)
			status := pod.Status.ContainerStatuses[0]
			if pod.Status.Phase != test.phase || isReady(pod) || status.Ready || *status.Started ||
				readyReason(pod) != test.reason {
				t.Errorf("got %+v", pod.Status)
			}
			if got := status.State.Terminated; got == nil || got.ExitCode != test.code || got.Message != "3 received" ||
				got.ContainerID != status.ContainerID {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAPodRunsForAWhileBeforeAnybodyKnows(t *testing.T) {
	for setting, pod := range map[string]*corev1.Pod{"pod-reported-after": newJob(), "gateway-reported-after": newPod()} {
		t.Run(setting, func(t *testing.T) { reportedLate(t, setting, pod) })
	}
}

func reportedLate(t *testing.T, setting string, late *corev1.Pod) {
	t.Helper()
	r, runtime := newJobKubelet(late)
	if err := r.Settings.Set(setting, "1h"); err != nil {
		t.Fatal(err)
	}
	pod, result := step(t, r)
	if pod.Status.PodIP != "" || result.RequeueAfter < 59*time.Minute || len(runtime.addresses) != 1 {
		t.Errorf("got %+v, again after %s, and %v run", pod.Status, result.RequeueAfter, runtime.addresses)
	}
	address := runtime.addresses[client.ObjectKeyFromObject(pod)]
	if err := r.Settings.Set(setting, "0s"); err != nil {
		t.Fatal(err)
	}
	if pod, _ = step(t, r); pod.Status.Phase != corev1.PodRunning || pod.Status.PodIP != address.String() {
		t.Errorf("then: got %+v", pod.Status)
	}
}

func TestAPodRunsUntilTheLastOfItsCommandsHasEnded(t *testing.T) {
	job := newJob()
	job.Spec.Containers = append(job.Spec.Containers, corev1.Container{Name: "other", Command: []string{"sleep", "9"}})
	r, runtime := newJobKubelet(job)
	runtime.commands["other"] = nil
	step(t, r)
	runtime.commands["gateway"] = ended(1, "")
	pod, _ := step(t, r)
	if pod.Status.Phase != corev1.PodRunning || isReady(pod) || !pod.Status.ContainerStatuses[1].Ready ||
		pod.Status.ContainerStatuses[0].State.Terminated == nil {
		t.Errorf("got %+v", pod.Status)
	}
	runtime.commands["other"] = ended(0, "")
	if pod, _ = step(t, r); pod.Status.Phase != corev1.PodFailed {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestAnEphemeralContainerIsReportedAndDoesNotCountForThePod(t *testing.T) {
	r, runtime := newJobKubelet(newJob())
	pod, _ := step(t, r)
	pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "added", Command: []string{"sh"}},
	}}
	if err := r.client.Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	runtime.commands["added"] = nil
	if pod, _ = step(t, r); pod.Status.EphemeralContainerStatuses[0].State.Running == nil {
		t.Errorf("while it runs: %+v", pod.Status)
	}
	runtime.commands["added"] = ended(3, "found nothing")
	pod, _ = step(t, r)
	if end := pod.Status.EphemeralContainerStatuses[0].State.Terminated; end == nil || end.Message != "found nothing" ||
		!isReady(pod) || pod.Status.Phase != corev1.PodRunning {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestTheCommandsOfAPodStartLateOnASlowNode(t *testing.T) {
	for setting, late := range map[string]bool{"pod-started-after": true, "gateway-ready-after": false} {
		r, runtime := newJobKubelet(newJob())
		if err := r.Settings.Set(setting, "1h"); err != nil {
			t.Fatal(err)
		}
		if pod, result := step(t, r); (len(runtime.addresses) == 0) != late || late && (result.RequeueAfter != time.Hour ||
			pod.Status.ContainerStatuses[0].State.Waiting == nil) {
			t.Errorf("%s: again after %s, %v run, and the pod has %+v",
				setting, result.RequeueAfter, runtime.addresses, pod.Status)
		}
	}
}

func TestACommandThatCannotBeStartedIsNeverReportedRunning(t *testing.T) {
	r, runtime := newJobKubelet(newJob())
	runtime.commands["gateway"] = ended(128, "executable file not found in $PATH")
	if pod, _ := step(t, r); pod.Status.Phase != corev1.PodFailed || pod.Status.PodIP == "" {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestAPodThatHasRunForTooLongIsEndedAndHasFailed(t *testing.T) {
	job := newJob()
	job.Spec.ActiveDeadlineSeconds, job.Spec.TerminationGracePeriodSeconds = new(int64(60)), new(int64(2))
	r, runtime := newJobKubelet(job)
	step(t, r)
	pod, result := step(t, r)
	if result.RequeueAfter > time.Minute || result.RequeueAfter < 50*time.Second || len(runtime.graces) > 0 {
		t.Errorf("again after %s, ended with %v", result.RequeueAfter, runtime.graces)
	}
	pod.Status.StartTime = new(metav1.NewTime(time.Now().Add(-time.Minute)))
	if err := r.client.Status().Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	if pod, _ = step(t, r); !slices.Equal(runtime.graces, []time.Duration{2 * time.Second}) ||
		pod.Status.Phase != corev1.PodRunning {
		t.Errorf("it has %s, and was ended with %v", pod.Status.Phase, runtime.graces)
	}
	runtime.commands["gateway"] = ended(143, "bye")
	if pod, _ = step(t, r); pod.Status.Phase != corev1.PodFailed || pod.Status.Reason != "DeadlineExceeded" ||
		pod.Status.ContainerStatuses[0].State.Terminated.Message != "bye" {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestAWatchSeesHowTheCommandOfADeletedPodHasEndedBeforeThePodIsGone(t *testing.T) {
	job := newJob()
	job.Finalizers = []string{"test"} // so that the fake API server keeps it
	r, runtime := newJobKubelet(job)
	pod, _ := step(t, r)
	if err := r.client.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	// The fake API server does not set the grace period, so it is Kubernetes' default.
	if pod, _ = step(t, r); !slices.Equal(runtime.graces, []time.Duration{30 * time.Second}) ||
		pod.Status.Phase != corev1.PodRunning || len(runtime.addresses) == 0 {
		t.Errorf("it has %s, runs at %v, and was ended with %v", pod.Status.Phase, runtime.addresses, runtime.graces)
	}
	runtime.commands["gateway"] = ended(0, "bye")
	if pod, _ = step(t, r); pod == nil || pod.Status.Phase != corev1.PodSucceeded ||
		pod.Status.ContainerStatuses[0].State.Terminated.Message != "bye" || len(runtime.addresses) > 0 {
		t.Errorf("got %+v, and it runs at %v", pod, runtime.addresses)
	}
}

func TestOnlyPodsThatNeverRestartRunTheirCommands(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"never":                 {func(*corev1.Pod) {}, true},
		"always":                {func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyAlways }, false},
		"without a command":     {func(p *corev1.Pod) { p.Spec.Containers[0].Command = nil }, false},
		"in the host's network": {func(p *corev1.Pod) { p.Spec.HostNetwork = true }, false},
	} {
		t.Run(name, func(t *testing.T) {
			pod := newJob()
			test.change(pod)
			if got := RunsCommands(pod); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestACommandAndItsArgumentsReferToTheEnvironment(t *testing.T) {
	container := corev1.Container{
		Command: []string{"sh", "-c", "echo $(GREETING) $$(NAME) $(NOBODY)", "sh"}, Args: []string{"$(NAME)"},
		Env: []corev1.EnvVar{
			{Name: "NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
			{Name: "GREETING", Value: "hello $(NAME)"},
		},
	}
	env, command, args, err := Command(newPod(), &container)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sh", "-c", "echo hello gw-milan $(NAME) $(NOBODY)", "sh"}
	if !slices.Equal(command, want) || !slices.Equal(args, []string{"gw-milan"}) ||
		!slices.Contains(env, "GREETING=hello gw-milan") {
		t.Errorf("got %q, %q, %q", env, command, args)
	}
}

func TestADeletedPodWhoseCommandHasEndedIsRemovedOnce(t *testing.T) {
	r, runtime := newJobKubelet(newJob())
	runtime.commands["gateway"] = ended(0, "")
	pod, _ := step(t, r)
	if err := r.client.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	step(t, r)
	key := client.ObjectKeyFromObject(pod)
	if _, runs := runtime.addresses[key]; runs || len(runtime.graces) > 0 {
		t.Errorf("it runs at %v, and was ended with %v", runtime.addresses, runtime.graces)
	}
}
