package kubelet

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Commands are the containers of a pod that run a command, by name, each with how it has ended. The end of a container
// that runs is nil.
type Commands map[string]*corev1.ContainerStateTerminated

// run reports whether any of the containers still runs.
func (c Commands) run() bool {
	for _, end := range c {
		if end == nil {
			return true
		}
	}
	return false
}

// RunsCommands reports whether a Runtime runs the commands of a pod's containers. Only pods that never restart do so:
// the lab does not count restarts, and does not delay them.
func RunsCommands(pod *corev1.Pod) bool {
	if pod.Spec.RestartPolicy != corev1.RestartPolicyNever || pod.Spec.HostNetwork {
		return false
	}
	for i := range pod.Spec.Containers {
		if len(pod.Spec.Containers[i].Command) > 0 {
			return true
		}
	}
	return false
}

// commands returns the containers of a pod that run a command, or none if it does not run.
func (r *podReconciler) commands(pod *corev1.Pod) Commands {
	if r.Runtime == nil || !RunsCommands(pod) {
		return nil
	}
	return r.Runtime.Commands(pod)
}

// follow reports that a running pod is ready, unless commands have ended, and ends those of a pod that has run for too
// long. The node controller reports that the pods of a lost node are not ready.
func (r *podReconciler) follow(ctx context.Context, pod *corev1.Pod) (ctrl.Result, error) {
	commands := r.commands(pod)
	var result ctrl.Result
	if deadline, limited := deadlineOf(pod); limited && commands.run() {
		if left := time.Until(deadline); left > 0 {
			result.RequeueAfter = left
		} else {
			r.Runtime.Terminate(pod, seconds(ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, defaultGrace)))
		}
	}
	before := pod.Status.DeepCopy()
	report(pod, commands)
	if equality.Semantic.DeepEqual(before, &pod.Status) {
		return result, nil
	}
	return result, r.client.Status().Update(ctx, pod)
}

// terminate ends a pod that is deleted. It does not wait for the commands: the end of the last one brings the pod
// again. Then a watch sees how they have ended before the pod is gone.
func (r *podReconciler) terminate(ctx context.Context, pod *corev1.Pod) (ctrl.Result, error) {
	commands := r.commands(pod)
	if commands.run() {
		r.Runtime.Terminate(pod, seconds(ptr.Deref(pod.DeletionGracePeriodSeconds, defaultGrace)))
		return ctrl.Result{}, nil
	}
	if len(commands) > 0 && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
		report(pod, commands)
		if err := r.client.Status().Update(ctx, pod); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.stop(ctx, client.ObjectKeyFromObject(pod))
	return ctrl.Result{}, r.client.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
}

// defaultGrace is Kubernetes' default, in seconds.
const defaultGrace = 30

func seconds(count int64) time.Duration { return time.Duration(count) * time.Second }

// deadlineOf returns when a pod has run for too long, or false if it never has.
func deadlineOf(pod *corev1.Pod) (time.Time, bool) {
	if pod.Spec.ActiveDeadlineSeconds == nil || pod.Status.StartTime == nil {
		return time.Time{}, false
	}
	return pod.Status.StartTime.Add(seconds(*pod.Spec.ActiveDeadlineSeconds)), true
}

// report sets the status of a pod that has started. Containers without a command run. Ephemeral containers do not count
// for the pod.
func report(pod *corev1.Pod, commands Commands) {
	ephemeral := make([]corev1.ContainerStatus, len(pod.Spec.EphemeralContainers))
	for i := range pod.Spec.EphemeralContainers {
		ephemeral[i] = statusOf(pod, (*corev1.Container)(&pod.Spec.EphemeralContainers[i].EphemeralContainerCommon), commands)
		ephemeral[i].Ready = false // a kubelet says so, too
	}
	setContainers(pod, func(c *corev1.Container) corev1.ContainerStatus { return statusOf(pod, c, commands) })
	pod.Status.EphemeralContainerStatuses = ephemeral
	pod.Status.Phase = corev1.PodRunning
	failed := false
	for _, status := range pod.Status.ContainerStatuses {
		end := status.State.Terminated
		if end == nil {
			return
		}
		failed = failed || end.ExitCode != 0
	}
	setReady(pod, corev1.ConditionFalse, end(pod, commands, failed), "")
}

// statusOf returns the status of a container that has started.
func statusOf(pod *corev1.Pod, container *corev1.Container, commands Commands) corev1.ContainerStatus {
	status := corev1.ContainerStatus{
		Name: container.Name, Image: container.Image, ImageID: container.Image,
		ContainerID: fmt.Sprintf("lab://%s/%s", pod.UID, container.Name),
	}
	if end := commands[container.Name]; end != nil {
		status.Started, status.State.Terminated = new(false), end.DeepCopy()
		status.State.Terminated.ContainerID = status.ContainerID
		return status
	}
	since := metav1.Now()
	for _, before := range slices.Concat(pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if before.Name == container.Name && before.State.Running != nil {
			since = before.State.Running.StartedAt
		}
	}
	status.Ready, status.Started = true, new(true)
	status.State.Running = &corev1.ContainerStateRunning{StartedAt: since}
	return status
}

// end sets the phase of a pod all of whose containers have ended, and returns the reason why it is not ready.
func end(pod *corev1.Pod, commands Commands, failed bool) string {
	if deadline, limited := deadlineOf(pod); limited {
		for _, end := range commands {
			if !end.FinishedAt.Time.Before(deadline) {
				pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "DeadlineExceeded"
				pod.Status.Message = "Pod was active on the node longer than the specified deadline"
				return "PodFailed"
			}
		}
	}
	if failed {
		pod.Status.Phase = corev1.PodFailed
		return "PodFailed"
	}
	pod.Status.Phase = corev1.PodSucceeded
	return "PodCompleted"
}

// Program runs a container's program. It gets the pod's name and the container's environment, in
// the form KEY=value, and arguments. The program is started again whenever it ends, until stop is
// called. Stop returns when it has ended.
type Program func(name string, env, args []string) (stop func(context.Context), err error)

// start runs the programs of a running pod, unless they already run.
func (r *podReconciler) start(pod *corev1.Pod) error {
	key := client.ObjectKeyFromObject(pod)
	if r.stops[key] != nil {
		return nil
	}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		program := r.Programs[container.Name]
		if program == nil {
			continue
		}
		env, _, args, err := Command(pod, container)
		if err != nil {
			return fmt.Errorf("container %s: %w", container.Name, err)
		}
		stop, err := program(pod.Name, env, args)
		if err != nil {
			return err
		}
		r.stops[key] = append(r.stops[key], stop)
	}
	return nil
}

// stop ends the programs of a pod, and forgets its address.
func (r *podReconciler) stop(ctx context.Context, pod client.ObjectKey) {
	if r.Runtime != nil {
		r.Runtime.Remove(ctx, pod)
	}
	for _, stop := range r.stops[pod] {
		stop(ctx)
	}
	delete(r.stops, pod)
	delete(r.addresses, pod)
}

// reference is $(NAME), which stands for a variable of the container's environment, or $$, which stands for $.
var reference = regexp.MustCompile(`\$\$|\$\([A-Za-z_][A-Za-z0-9_]*\)`)

// Command returns a container's environment, in the form KEY=value, its command, which may be empty,
// and its arguments as a kubelet would pass them. They can only refer to fields of the pod itself.
func Command(pod *corev1.Pod, container *corev1.Container) (env, command, args []string, err error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err != nil {
		return nil, nil, nil, err
	}
	values := map[string]string{}
	expand := func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(name string) string {
			if name == "$$" {
				return "$"
			}
			if value, known := values[name[2:len(name)-1]]; known {
				return value
			}
			return name
		})
	}
	for _, variable := range container.Env {
		value := expand(variable.Value) // it can refer to the variables before it
		if source := variable.ValueFrom; source != nil {
			if source.FieldRef == nil {
				return nil, nil, nil, fmt.Errorf("variable %s does not come from a field of the pod", variable.Name)
			}
			var found bool
			value, found, err = unstructured.NestedString(object, strings.Split(source.FieldRef.FieldPath, ".")...)
			if err != nil || !found {
				return nil, nil, nil, fmt.Errorf("variable %s: the pod has no %s", variable.Name, source.FieldRef.FieldPath)
			}
		}
		values[variable.Name] = value
		env = append(env, variable.Name+"="+value)
	}
	for _, part := range container.Command {
		command = append(command, expand(part))
	}
	for _, arg := range container.Args {
		args = append(args, expand(arg))
	}
	return env, command, args, nil
}
