package connectivity

import (
	"cmp"
	"context"
	_ "embed" // the scripts
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// The scripts of the pods. They are for a POSIX shell, and for the ping of iputils. Those of pods that ping follow
// pingScript.
var (
	//go:embed listen.sh
	listenScript string
	//go:embed ping.sh
	pingScript string
	//go:embed probe.sh
	probeScript string
	//go:embed look.sh
	lookScript string
)

// The labels of what a test creates: what it is, with which other cluster, and of which run.
const (
	componentLabel = "app.kubernetes.io/component"
	component      = "connectivity-test"
	remoteLabel    = owner.ManagedBy + "/remote"
	runLabel       = owner.ManagedBy + "/run"
)

// nobody is a user without any rights.
const nobody = 65532

// pingGroups lets every user ping without a capability.
const pingGroups = "net.ipv4.ping_group_range"

// What a pod requests.
const requestedCPU, requestedMemory = "10m", "16Mi"

// The names of the containers of a pod: the one that it has from the start, and those that it gets.
const (
	mainContainer = "test"
	prober        = "prober"
	again         = "again"
)

// image is what the pods of a leaf run.
type image struct {
	name    string
	policy  corev1.PullPolicy
	secrets []corev1.LocalObjectReference
}

// imageOf returns the image of the leaf's own gateway, which the leaf has already pulled once. Liqo puts a shell and
// ping into it.
func (s *station) imageOf(ctx context.Context) (image, error) {
	gateway := s.objects.Gateway
	deployment := &appsv1.Deployment{}
	if err := s.Leaf.Read(ctx, liqo.MadeForGateway(gateway), deployment); err != nil {
		return image{}, err
	}
	template := &deployment.Spec.Template.Spec
	// Liqo does not promise the names of the containers.
	main := slices.IndexFunc(template.Containers, func(c corev1.Container) bool {
		repository, _, _ := strings.Cut(path.Base(c.Image), ":")
		return strings.HasPrefix(repository, "gateway")
	})
	var chosen corev1.Container
	if len(template.Containers) > 0 {
		chosen = template.Containers[max(main, 0)]
	}
	if chosen.Image == "" {
		return image{}, fmt.Errorf("%s on leaf %q has no container with an image", s.Leaf.Describe(deployment), s.Leaf.Name)
	}
	return image{name: chosen.Image, policy: chosen.ImagePullPolicy, secrets: template.ImagePullSecrets}, nil
}

// newPod returns a pod of the test on a node.
func (s *station) newPod(role, script string, node int, args ...string) *corev1.Pod {
	main := s.container(mainContainer, script, args...)
	main.Resources = corev1.ResourceRequirements{
		Requests: resources(requestedCPU, requestedMemory), Limits: resources("500m", "64Mi"),
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.namespace(), Labels: maps.Clone(s.labels),
			Name:            fmt.Sprintf("%s-%s-%s-%d", component, s.labels[runLabel], role, node+1),
			OwnerReferences: []metav1.OwnerReference{s.ownedByGateway()},
		},
		Spec: corev1.PodSpec{
			NodeName: s.names[node], RestartPolicy: corev1.RestartPolicyNever,
			ActiveDeadlineSeconds:        new(int64(s.lifetime.Seconds())),
			AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
			ImagePullSecrets:              s.image.secrets,
			TerminationGracePeriodSeconds: new(int64(timeToTell.Seconds())),
			// With these, the pod meets the strictest of Kubernetes' Pod Security Standards.
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(int64(nobody)), RunAsGroup: new(int64(nobody)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
				Sysctls:        []corev1.Sysctl{{Name: pingGroups, Value: "0 " + strconv.Itoa(math.MaxInt32)}},
			},
			Containers: []corev1.Container{main},
		},
	}
}

// container returns a container of a pod that runs a script.
func (s *station) container(name, script string, args ...string) corev1.Container {
	return corev1.Container{
		Name: name, Image: s.image.name, ImagePullPolicy: s.image.policy,
		Command: slices.Concat([]string{"sh", "-c", script, "test"}, args),
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
	}
}

// terminated returns how a container of a pod has ended, or nil.
func terminated(pod *corev1.Pod, container string) *corev1.ContainerStateTerminated {
	for _, status := range slices.Concat(pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if status.Name == container {
			return status.State.Terminated
		}
	}
	return nil
}

// lastWords is what a container that has ended says or, if it says nothing, what the kubelet says of it.
func lastWords(end *corev1.ContainerStateTerminated) string {
	if end == nil {
		return ""
	}
	return cmp.Or(end.Message, end.Reason)
}

// hasEnded reports whether a pod will never run again.
func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// refusal returns why the kubelet has not accepted a pod or has stopped it. It is empty for a pod that ended by itself.
func refusal(pod *corev1.Pod) string {
	if pod.Status.Phase != corev1.PodFailed {
		return ""
	}
	return pod.Status.Reason
}

// whyEnded says why a pod has ended too early.
func whyEnded(pod *corev1.Pod) string {
	state := terminated(pod, mainContainer)
	switch reason := refusal(pod); {
	case reason != "" && pod.Status.Message != "":
		return reason + ": " + pod.Status.Message
	case reason != "":
		return reason
	case state != nil:
		return lastWords(state)
	default:
		return cmp.Or(pod.Status.Message, "its status does not say why")
	}
}
