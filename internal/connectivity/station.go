package connectivity

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
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
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToTell is how long a listener may take to tell what it has heard, when it is to end.
const timeToTell = 20 * time.Second

// station is a test's part of one leaf.
type station struct {
	*end.End

	other    *station // that of the other leaf
	labels   map[string]string
	lifetime time.Duration // of each pod, at most

	objects  liqo.Objects
	kind     schema.GroupVersionKind // of the gateway
	image    image
	gateway  string          // IP address of the gateway's pod; empty if nobody knows
	overlay  string          // IP address of the gateway in the overlay that joins it with the nodes; as gateway
	names    []string        // of the nodes
	gateways map[string]bool // the names of those with a pod of the gateway

	tell      func(format string, values ...any)
	pods      []*corev1.Pod // that may exist
	listeners []*corev1.Pod // one on each of the nodes
	addresses []string      // of the listeners of the other leaf
	reports   []report      // of the probers, by node

	// What the test also learns if packets get lost. It is empty or false where nobody has said anything.
	detours []report // by node
	again   []report // what the listeners' pods see when they look again, by node
	heard   []heard  // by listener
	isUp    bool     // whether the gateway has reported the tunnel as up since
	missed  []string // why the test has not learned some of it, in sentences
}

// newStation returns the station of a run on a leaf.
func newStation(leaf, other *cluster.Leaf, run string) *station {
	return &station{
		End:  end.New(leaf, end.Remote{Name: other.Name, ID: other.ID}),
		tell: func(string, ...any) {},
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
	if s.objects.Gateway == nil || !liqo.IsRemapped(s.objects.Configuration) {
		return &trouble.Problem{
			ID: "test-network-missing", Leaf: s.Leaf.Name,
			Summary: fmt.Sprintf("there is no network with %q", s.Remote.Name),
			Advice: "A test needs a Configuration that Liqo has remapped, and a gateway. Create a liqo_shortcut first, and " +
				"refer to its attributes in the test, so that the test comes after it.",
		}
	}
	if s.kind, err = s.Leaf.KindOf(s.objects.Gateway.Object); err != nil {
		return err
	}
	if s.image = (image{name: options.Image}); s.image.name == "" {
		if s.image, err = s.imageOf(ctx); err != nil {
			return err
		}
	}
	if err := s.findNodes(ctx, options.MaxNodes); err != nil {
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
		s.miss("Which routers are the gateway", err)
		return nil
	}
	return err
}

// miss notes that the test has not learned something, because of an error, which may be nil.
func (s *station) miss(what string, err error) {
	if err != nil {
		s.missed = append(s.missed, fmt.Sprintf("%s would tell more about leaf %q, but nobody knows: %s.", what, s.Leaf.Name,
			cmp.Or(explain.Summary(err), err.Error())))
	}
}

// listen starts the listeners, and returns when they have addresses.
func (s *station) listen(ctx context.Context) error {
	var err error
	s.listeners, err = s.run(ctx, "the test's pods to start",
		func(node int) *corev1.Pod { return s.newPod("listener", listenScript, node) },
		func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning && pod.Status.PodIP != "" })
	return err
}

// probe lets the probers ping the addresses, and reads their reports.
func (s *station) probe(ctx context.Context, options Options) error {
	var err error
	s.reports, err = s.ask(ctx, prober, "the test's pods to send their packets", pingScript+probeScript,
		func(node int) []string {
			host := s.listeners[node].Status.HostIP
			args := []string{strconv.Itoa(options.PacketCount), strconv.Itoa(s.mtu()), host, s.overlay}
			return append(args, s.addresses...)
		})
	return err
}

// mtu is that of the tunnel, as this end's gateway has it.
func (s *station) mtu() int { return s.objects.TunnelSettings().MTU }

// ownPings is how many pings a prober sends to its own pod, where a listener counts them: one, to try its options.
const ownPings = 1

// hear tells the listeners to end, and returns what they have heard. What a listener does not tell, nobody knows.
func (s *station) hear(ctx context.Context) {
	s.heard = make([]heard, len(s.names))
	err := s.onEachNode("the test's pods to say what has arrived", func(node int) error {
		pod := s.listeners[node]
		err := s.Leaf.DeleteWatched(ctx, pod)
		s.heard[node] = parseHeard(lastWords(terminated(pod, mainContainer)))
		s.heard[node].requests = max(0, s.heard[node].requests-ownPings)
		return err
	})
	s.miss("What has arrived", err)
}

// namespace is that of the gateway.
func (s *station) namespace() string { return s.objects.Gateway.GetNamespace() }
