package connectivity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToTell is how long a listener may take to tell what it has heard, when it is to end. It asks for the gateway's
// metrics before, twice if it must.
const timeToTell = 20 * time.Second

// metricsPort is the port of the wireguard container's metrics in Liqo's templates.
const metricsPort = 8084

// station is a test's part of one leaf.
type station struct {
	*end.End

	labels   map[string]string
	lifetime time.Duration // of each pod, at most

	objects liqo.Objects
	kind    schema.GroupVersionKind // of the gateway
	image   image
	gateway string   // IP address of the gateway's pod; empty if nobody knows
	hidden  string   // why nobody knows
	overlay string   // IP address of the gateway in the overlay that joins it with the nodes; empty if nobody knows
	names   []string // of the nodes

	pods               []*corev1.Pod // that may exist
	listeners, probers []*corev1.Pod // a pod on each of the nodes
	addresses          []string      // of the listeners of the other leaf
	heard              []heard       // by listener; empty if the listeners were not asked
	reports            []report      // by prober
	detours            []report      // by node; empty if there were none
}

// newStation returns the station of a run on a leaf.
func newStation(leaf, other *cluster.Leaf, run string) *station {
	return &station{
		End: end.New(leaf, end.Remote{Name: other.Name, ID: other.ID}),
		labels: map[string]string{
			owner.ManagedByLabel: owner.ManagedBy, componentLabel: component, remoteLabel: string(other.ID), runLabel: run,
		},
	}
}

// prepare finds out all that the pods need, before the first one is created.
func (s *station) prepare(ctx context.Context, options Options) error {
	var err error
	if s.objects, err = s.Observe(ctx); err != nil {
		return err
	}
	if gateway := s.objects.Gateway(); gateway == nil || !liqo.IsRemapped(s.objects.Configuration) {
		return &trouble.Problem{
			ID: "test-network-missing", Leaf: s.Leaf.Name,
			Summary: fmt.Sprintf("there is no network with %q", s.Remote.Name),
			Advice: "A test needs a Configuration that Liqo has remapped, and a gateway. Create a liqo_shortcut first, and " +
				"refer to its attributes in the test, so that the test comes after it.",
		}
	}
	if s.kind, err = s.Leaf.Live.GroupVersionKindFor(s.objects.Gateway()); err != nil {
		return err
	}
	if s.image = (image{name: options.Image}); s.image.name == "" {
		if s.image, err = s.imageOf(ctx); err != nil {
			return err
		}
	}
	if s.names, err = s.nodes(ctx, options.MaxNodes); err != nil {
		return err
	}
	return s.readFabric(ctx)
}

// readFabric reads the addresses of the gateway from Liqo's InternalFabric. Without the permission, or with a gateway
// that is not from Liqo's templates, they stay empty.
func (s *station) readFabric(ctx context.Context) error {
	var fabrics networkingv1beta1.InternalFabricList
	err := s.Leaf.List(ctx, &fabrics, client.InNamespace(s.namespace()))
	for i := range fabrics.Items {
		if cluster.RemoteID(&fabrics.Items[i]) == string(s.Remote.ID) {
			s.gateway = fabrics.Items[i].Spec.GatewayIP.String()
			s.overlay = fabrics.Items[i].Spec.Interface.Gateway.IP.String()
		}
	}
	if cluster.MissingPermission(err) {
		s.hidden = "the provider's user may not list internalfabrics.networking.liqo.io, which name the gateway's address"
		return nil
	}
	if s.gateway == "" {
		s.hidden = "no InternalFabric names the gateway's address"
	}
	return err
}

// metrics is the URL of the gateway's metrics. It is empty if nobody knows it.
func (s *station) metrics() string {
	if s.gateway == "" {
		return ""
	}
	return fmt.Sprintf("http://%s:%d/metrics", s.gateway, metricsPort)
}

// listen starts the listeners, and returns when they have addresses.
func (s *station) listen(ctx context.Context) error {
	var err error
	s.listeners, err = s.run(ctx, "the test's pods to start",
		func(node int) *corev1.Pod { return s.newPod("listener", listenScript, node, s.metrics()) },
		func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning && pod.Status.PodIP != "" })
	return err
}

// probe lets the probers ping the addresses, and reads their reports.
func (s *station) probe(ctx context.Context, options Options) error {
	var err error
	s.probers, err = s.run(ctx, "the test's pods to send their packets",
		func(node int) *corev1.Pod {
			host := s.listeners[node].Status.HostIP
			args := []string{strconv.Itoa(options.PacketCount), strconv.Itoa(s.mtu()), host, s.overlay}
			return s.newPod("prober", pingScript+probeScript, node, append(args, s.addresses...)...)
		}, hasEnded)
	if err != nil {
		return err
	}
	for _, pod := range s.probers {
		if refusal(pod) != "" {
			return s.failed(pod, errors.New(whyEnded(pod)))
		}
		report, err := parseReport(whyEnded(pod))
		if err != nil {
			return s.failed(pod, err)
		}
		s.reports = append(s.reports, report)
	}
	return nil
}

// mtu is that of the tunnel, as this end's gateway has it.
func (s *station) mtu() int { return s.objects.TunnelSettings().MTU }

// failed is the error of a pod that could not do its work.
func (s *station) failed(pod *corev1.Pod, err error) error {
	return &trouble.Problem{
		ID: "test-pod-failed", Leaf: s.Leaf.Name,
		Summary: cmp.Or(lack(err.Error()), "a pod of the test could not do its work"),
		Evidence: []string{cluster.Sentence(fmt.Sprintf("%s on node %q, with image %s: %s", s.Leaf.Describe(pod),
			pod.Spec.NodeName, s.image.name, cluster.ShownLines(err.Error())))},
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

// run creates a pod on each of the nodes, and returns when done is true for all of them.
func (s *station) run(
	ctx context.Context, waitedFor string, build func(node int) *corev1.Pod, done func(*corev1.Pod) bool,
) ([]*corev1.Pod, error) {
	pods := make([]*corev1.Pod, len(s.names))
	for i := range pods {
		pods[i] = build(i)
	}
	s.pods = append(s.pods, pods...)
	err := errors.Join(parallel.Map(pods, func(pod *corev1.Pod) error { return s.start(ctx, pod, waitedFor, done) })...)
	return pods, err
}

// start creates a pod, and returns when done is true for it.
func (s *station) start(ctx context.Context, pod *corev1.Pod, waitedFor string, done func(*corev1.Pod) bool) error {
	if err := s.Leaf.Explain(s.Leaf.Live.Create(ctx, pod, client.FieldOwner(cluster.FieldManager))); err != nil {
		return err
	}
	err := s.Leaf.UntilObject(ctx, pod, func(exists bool) bool { return !exists || done(pod) || hasEnded(pod) })
	switch {
	case err != nil:
		return explain.Pod(ctx, s.Leaf, pod, waitedFor, err)
	case !done(pod):
		return s.failed(pod, errors.New(whyEnded(pod)))
	}
	return nil
}

// hear tells the listeners to end, and returns what they have heard. What a listener does not tell, nobody knows.
func (s *station) hear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, timeToTell+timeToTell/2)
	defer cancel()
	s.heard = parallel.Map(s.listeners, func(pod *corev1.Pod) heard {
		message := ""
		if err := s.Leaf.DeleteWatched(ctx, pod); err == nil && terminated(pod) != nil {
			message = terminated(pod).Message
		}
		return parseHeard(message)
	})
}

// remove removes all pods of the run.
func (s *station) remove(ctx context.Context) error {
	return errors.Join(parallel.Map(s.pods, func(pod *corev1.Pod) error {
		return s.Leaf.Persist(ctx, func() error {
			return client.IgnoreNotFound(s.Leaf.Live.Delete(ctx, pod, client.GracePeriodSeconds(0)))
		})
	})...)
}

// sweep removes the pods of earlier tests, which ended without doing so. There is only one test of two leaves at a
// time.
func (s *station) sweep(ctx context.Context) error {
	var pods corev1.PodList
	// Several gateways may be in one namespace.
	ours := client.MatchingLabels{componentLabel: component, remoteLabel: s.labels[remoteLabel]}
	if err := s.Leaf.List(ctx, &pods, client.InNamespace(s.namespace()), ours); err != nil {
		return err
	}
	return errors.Join(parallel.Map(pods.Items, func(pod corev1.Pod) error {
		return s.Leaf.Persist(ctx, func() error {
			return client.IgnoreNotFound(s.Leaf.Live.Delete(ctx, &pod, client.GracePeriodSeconds(0)))
		})
	})...)
}

// namespace is that of the gateway.
func (s *station) namespace() string { return s.objects.Gateway().GetNamespace() }
