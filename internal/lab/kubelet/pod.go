package kubelet

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// imagePullRetry is the time before a pod tries again to pull an image.
const imagePullRetry = 10 * time.Second

// Reconcile moves a pod of the node one step on: to running, or to its removal. While the node is lost, it waits, and
// with it all other changes of pods.
func (r *podReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Settings.awaitNode(ctx, r.Node); err != nil {
		return ctrl.Result{}, err
	}
	var pod corev1.Pod
	err := r.client.Get(ctx, req.NamespacedName, &pod)
	if apierrors.IsNotFound(err) {
		r.stop(ctx, req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	result, err := r.step(ctx, &pod)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) { // the cache is behind; the next event brings the pod again
		return ctrl.Result{}, nil
	}
	return result, err
}

func (r *podReconciler) step(ctx context.Context, pod *corev1.Pod) (ctrl.Result, error) {
	switch {
	case pod.Spec.NodeName != r.Node: // the scheduler has it still, or a virtual kubelet
	case pod.DeletionTimestamp != nil:
		return r.terminate(ctx, pod)
	case pod.Status.Phase == corev1.PodPending || pod.Status.Phase == "":
		return r.run(ctx, pod)
	case pod.Status.Phase == corev1.PodRunning:
		if err := r.resume(ctx, pod); err != nil {
			return ctrl.Result{}, err
		}
		return r.follow(ctx, pod)
	}
	return ctrl.Result{}, nil
}

// run moves a scheduled pod to running, if its volumes, its images and the settings allow it.
func (r *podReconciler) run(ctx context.Context, pod *corev1.Pod) (ctrl.Result, error) {
	missing, err := r.missingSecret(ctx, pod)
	if err != nil {
		return ctrl.Result{}, err
	}
	if missing != nil {
		r.events.Eventf(pod, corev1.EventTypeWarning, "FailedMount",
			"MountVolume.SetUp failed for volume %q : secret %q not found",
			missing.Name, missing.Secret.SecretName)
		return ctrl.Result{}, r.reportWaiting(ctx, pod, creating)
	}
	if !r.Settings.Get().PullImage {
		return ctrl.Result{RequeueAfter: imagePullRetry}, r.failToPull(ctx, pod)
	}
	if left := r.untilStart(pod); left > 0 {
		if pod.Status.StartTime == nil {
			err = r.reportWaiting(ctx, pod, creating)
		}
		return ctrl.Result{RequeueAfter: left}, err
	}
	return r.ready(ctx, pod)
}

// untilStart returns how long a pod still waits before it starts.
func (r *podReconciler) untilStart(pod *corev1.Pod) time.Duration {
	delay := r.Settings.Get().GatewayReadyAfter
	if RunsCommands(pod) {
		delay = r.Settings.Get().PodStartedAfter
	}
	if pod.Status.StartTime == nil {
		return delay
	}
	return delay - time.Since(pod.Status.StartTime.Time)
}

// missingSecret returns a volume of the pod whose Secret does not exist, or nil.
func (r *podReconciler) missingSecret(ctx context.Context, pod *corev1.Pod) (*corev1.Volume, error) {
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if volume.Secret == nil || ptr.Deref(volume.Secret.Optional, false) {
			continue
		}
		var secret corev1.Secret
		err := r.client.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: volume.Secret.SecretName}, &secret)
		if apierrors.IsNotFound(err) {
			return volume, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// reportWaiting reports the pod's containers as waiting, each for the reason that depends on its image.
func (r *podReconciler) reportWaiting(
	ctx context.Context, pod *corev1.Pod, reason func(image string) *corev1.ContainerStateWaiting,
) error {
	r.begin(pod)
	setContainers(pod, func(container *corev1.Container) corev1.ContainerStatus {
		return corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Started: new(false),
			State: corev1.ContainerState{Waiting: reason(container.Image)},
		}
	})
	return r.client.Status().Update(ctx, pod)
}

// creating is the reason of a container that waits for something else than its image.
func creating(string) *corev1.ContainerStateWaiting {
	return &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
}

const imagePullBackOff = "ImagePullBackOff"

// backingOff is the reason of a container whose image can't be pulled.
func backingOff(image string) *corev1.ContainerStateWaiting {
	return &corev1.ContainerStateWaiting{Reason: imagePullBackOff, Message: backOff(image) + ": " + pullError(image)}
}

func backOff(image string) string { return fmt.Sprintf("Back-off pulling image %q", image) }

// pullError is containerd's answer for an image that its registry does not have.
func pullError(image string) string {
	return fmt.Sprintf("ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image %q: "+
		"failed to resolve reference %q: %s: not found", image, image, image)
}

// failToPull reports the containers as waiting for images that can't be pulled, with the kubelet's
// message.
func (r *podReconciler) failToPull(ctx context.Context, pod *corev1.Pod) error {
	for i := range pod.Spec.Containers {
		image := pod.Spec.Containers[i].Image
		r.events.Eventf(pod, corev1.EventTypeNormal, "Pulling", "Pulling image %q", image)
		reason := pullError(image)[len("ErrImagePull: "):]
		r.events.Eventf(pod, corev1.EventTypeWarning, "Failed", "Failed to pull image %q: %s", image, reason)
		r.events.Event(pod, corev1.EventTypeWarning, "Failed", "Error: ErrImagePull")
		r.events.Event(pod, corev1.EventTypeNormal, "BackOff", backOff(image))
		r.events.Event(pod, corev1.EventTypeWarning, "Failed", "Error: "+imagePullBackOff)
	}
	if already := pod.Status.ContainerStatuses; len(already) > 0 && already[0].State.Waiting != nil &&
		already[0].State.Waiting.Reason == imagePullBackOff {
		return nil
	}
	return r.reportWaiting(ctx, pod, backingOff)
}

// ready runs the pod, and reports it as running and ready, with an address.
func (r *podReconciler) ready(ctx context.Context, pod *corev1.Pod) (ctrl.Result, error) {
	address, err := r.addressOf(pod)
	if err != nil {
		return ctrl.Result{}, err
	}
	r.begin(pod)
	pod.Status.PodIP = address.ip.String()
	pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	if r.Runtime != nil {
		if err := r.Runtime.Run(ctx, pod, address.ip); err != nil {
			return ctrl.Result{}, err
		}
	}
	if address.started.IsZero() {
		address.started = time.Now()
	}
	delay := r.Settings.Get().GatewayReportedAfter
	if len(r.commands(pod)) > 0 {
		delay = r.Settings.Get().PodReportedAfter
	}
	if left := delay - time.Since(address.started); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	report(pod, r.commands(pod))
	return ctrl.Result{}, r.client.Status().Update(ctx, pod)
}

// podAddress is the address of a pod that the kubelet has started or is about to start.
type podAddress struct {
	pod     types.UID
	ip      netip.Addr
	started time.Time // zero if it is about to
}

// addressOf returns the address of a pod, the same one each time. The pod may run already, although the cache does not
// know it yet. With another address, it would run anew, and the devices that lead to it would be gone.
func (r *podReconciler) addressOf(pod *corev1.Pod) (*podAddress, error) {
	key := client.ObjectKeyFromObject(pod)
	if known, ok := r.addresses[key]; ok && known.pod == pod.UID {
		return known, nil
	}
	ip, err := r.PodIPs.Take()
	if err != nil {
		return nil, err
	}
	r.addresses[key] = &podAddress{pod: pod.UID, ip: ip}
	return r.addresses[key], nil
}

// resume continues with a pod that was already reported running, maybe by an earlier kubelet.
func (r *podReconciler) resume(ctx context.Context, pod *corev1.Pod) error {
	if r.Runtime != nil {
		ip, err := netip.ParseAddr(pod.Status.PodIP)
		if err != nil {
			return err
		}
		if err := r.Runtime.Run(ctx, pod, ip); err != nil {
			return err
		}
	}
	return r.start(pod)
}

// begin sets the status that a kubelet reports as soon as it has seen the pod.
func (r *podReconciler) begin(pod *corev1.Pod) {
	if pod.Status.StartTime == nil {
		pod.Status.StartTime = new(metav1.Now())
	}
	pod.Status.Phase = corev1.PodPending
	pod.Status.HostIP = r.NodeIP.String()
	pod.Status.HostIPs = []corev1.HostIP{{IP: r.NodeIP.String()}}
	setCondition(pod, corev1.PodScheduled, corev1.ConditionTrue, "", "")
	setCondition(pod, corev1.PodInitialized, corev1.ConditionTrue, "", "")
}

// setContainers sets the statuses of a pod's containers, and which of them are not ready.
func setContainers(pod *corev1.Pod, status func(*corev1.Container) corev1.ContainerStatus) {
	statuses := make([]corev1.ContainerStatus, len(pod.Spec.Containers))
	var unready []string
	for i := range pod.Spec.Containers {
		if statuses[i] = status(&pod.Spec.Containers[i]); !statuses[i].Ready {
			unready = append(unready, statuses[i].Name)
		}
	}
	pod.Status.ContainerStatuses = statuses
	if len(unready) == 0 {
		setReady(pod, corev1.ConditionTrue, "", "")
		return
	}
	message := fmt.Sprintf("containers with unready status: %v", unready)
	setReady(pod, corev1.ConditionFalse, "ContainersNotReady", message)
}

// setReady sets the conditions that say whether the pod and its containers are ready.
func setReady(pod *corev1.Pod, status corev1.ConditionStatus, reason, message string) {
	setCondition(pod, corev1.PodReady, status, reason, message)
	setCondition(pod, corev1.ContainersReady, status, reason, message)
}

// setCondition sets a condition of the pod.
func setCondition(
	pod *corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus, reason, message string,
) {
	condition := corev1.PodCondition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: pod.Generation, LastTransitionTime: metav1.Now(),
	}
	i := slices.IndexFunc(pod.Status.Conditions, func(old corev1.PodCondition) bool { return old.Type == kind })
	if i < 0 {
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
		return
	}
	if old := pod.Status.Conditions[i]; old.Status == status {
		condition.LastTransitionTime = old.LastTransitionTime
	}
	pod.Status.Conditions[i] = condition
}

// IsReady reports whether the pod's containers run.
func IsReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// Container returns the container of a pod with a name, or nil.
func Container(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	return nil
}
