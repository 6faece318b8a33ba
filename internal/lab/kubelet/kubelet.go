// Package kubelet replaces what a cluster without containers lacks: the kubelet of each node and the load balancer of a
// cloud. It reports pods that the scheduler has bound to the node as running, and removes them, as a kubelet would. But
// nothing runs in them, except what a Runtime runs, and the containers for which the lab has a program.
//
// Kwok was tried as a library. Its stages can write the status of a pod in which nothing runs. What decides the status,
// such as Secrets, settings, addresses and commands that end, would stay here, so it would add more lines than it takes
// away. It does not try a stage again that has failed, and its events have fixed texts, without a Secret's name.
package kubelet

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	coordinationv1 "k8s.io/client-go/applyconfigurations/coordination/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Options configure the kubelet of one node.
type Options struct {
	// Node is the name of the node. NodeIP is its address.
	Node   string
	NodeIP netip.Addr
	// PodIPs is the pool for the addresses of pods. All nodes of a cluster share it.
	PodIPs   *Pool
	Settings *Settings
	// Programs are the programs that really run, by the name of the container. Other containers are
	// only reported as running.
	Programs map[string]Program
	// Runtime runs pods. Without it, pods are only reported as running.
	Runtime Runtime
}

// Runtime runs pods for a kubelet.
type Runtime interface {
	// Run runs a pod with an address, and returns when the pod can be reached. If the pod already runs, it only starts
	// the commands of containers that have been added since.
	Run(ctx context.Context, pod *corev1.Pod, ip netip.Addr) error
	// Remove ends a pod, if it runs.
	Remove(ctx context.Context, pod client.ObjectKey)
	// Commands returns the containers of a pod that Run has started, until Remove is called. A pod
	// of the same name is another one if its UID is.
	Commands(pod *corev1.Pod) Commands
	// Terminate ends the commands of a pod with SIGTERM, and those that run after the grace period with SIGKILL. It
	// does not wait. A later call can only shorten the grace period.
	Terminate(pod *corev1.Pod, grace time.Duration)
	// Ended returns a channel with an event for each container whose command has ended, until ctx ends.
	Ended(ctx context.Context) <-chan event.GenericEvent
}

// Register adds the kubelet of a node to the manager of the node's cluster. It ends with ctx.
func Register(ctx context.Context, mgr manager.Manager, options Options) error {
	clientset, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: clientset.CoreV1().Events("")})

	pods := &podReconciler{
		Options:   options,
		client:    mgr.GetClient(),
		addresses: map[client.ObjectKey]*podAddress{},
		stops:     map[client.ObjectKey][]func(context.Context){},
		events:    broadcaster.NewRecorder(mgr.GetScheme(), corev1.EventSource{Component: "kubelet", Host: options.Node}),
	}
	pending := Requeue(
		mgr.GetClient(), &corev1.PodList{}, func(pod *corev1.Pod) bool { return pod.Status.Phase != corev1.PodRunning },
	)
	controller := ctrl.NewControllerManagedBy(mgr).Named("kubelet-"+options.Node).
		For(&corev1.Pod{}).
		// A pod that waits for its volume continues when the Secret appears.
		Watches(&corev1.Secret{}, pending).
		WatchesRawSource(source.Channel(options.Settings.Listen(ctx), pending))
	if options.Runtime != nil {
		controller.WatchesRawSource(source.Channel(options.Runtime.Ended(ctx), &handler.EnqueueRequestForObject{}))
	}
	if err := errors.Join(controller.Complete(pods), mgr.Add(&heartbeat{options, mgr.GetClient()})); err != nil {
		return fmt.Errorf("kubelet of %s: %w", options.Node, err)
	}
	return nil
}

// capacity is more than the pods of a lab request. Only their number is limited, to a kubelet's
// default.
var capacity = corev1.ResourceList{
	corev1.ResourceCPU: resource.MustParse("16"), corev1.ResourceMemory: resource.MustParse("64Gi"),
	corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"), corev1.ResourcePods: resource.MustParse("110"),
}

// NewNode returns a node, ready. PodCIDRs are the networks of which only this node's pods have addresses.
func NewNode(name string, ip netip.Addr, podCIDRs []string, version string) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
		}},
		Spec: corev1.NodeSpec{PodCIDRs: podCIDRs},
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: capacity,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: ip.String()},
				{Type: corev1.NodeHostName, Address: name},
			},
			Conditions: conditions(),
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: version, OperatingSystem: "linux", Architecture: "amd64", OSImage: "liqo-lab",
			},
		},
	}
	if len(podCIDRs) > 0 {
		node.Spec.PodCIDR = podCIDRs[0]
	}
	return node
}

// podReconciler is the kubelet.
type podReconciler struct {
	Options
	client client.Client
	// addresses are those of the pods that were started, until they are gone.
	addresses map[client.ObjectKey]*podAddress
	// stops end the programs that run, by pod. Pods are reconciled one after the other.
	stops  map[client.ObjectKey][]func(context.Context)
	events record.EventRecorder
}

// Requeue requests every object of a list's kind in the namespace of the changed object. If there is
// no changed object, or if it has no namespace, it requests those of all namespaces.
func Requeue[T client.Object](reader client.Reader, list client.ObjectList, depends func(T) bool) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, changed client.Object) []reconcile.Request {
		found := list.DeepCopyObject().(client.ObjectList) //nolint:errcheck,forcetypeassert // a copy has its original's type
		namespace := ""
		if changed != nil {
			namespace = changed.GetNamespace()
		}
		if err := reader.List(ctx, found, client.InNamespace(namespace)); err != nil {
			return nil
		}
		var requests []reconcile.Request
		_ = meta.EachListItem(found, func(item runtime.Object) error { // the function returns no error
			if object, ok := item.(T); ok && depends(object) {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
			return nil
		})
		return requests
	})
}

// The defaults of a kubelet.
const (
	heartbeatInterval = 10 * time.Second
	leaseSeconds      = 40
)

// heartbeat tells the cluster that a node lives. Otherwise Kubernetes' node controller reports the node as unknown,
// taints it, and evicts its pods.
type heartbeat struct {
	Options
	client client.Client
}

// Start implements manager.Runnable.
func (h *heartbeat) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, h.beat, heartbeatInterval)
	return nil
}

// beat waits until the node is not lost. If it fails, the next one tries again.
func (h *heartbeat) beat(ctx context.Context) {
	if h.Settings.awaitNode(ctx, h.Node) != nil {
		return
	}
	if err := errors.Join(h.renewLease(ctx), h.recover(ctx)); err != nil && ctx.Err() == nil {
		ctrl.Log.Error(err, "heartbeat", "node", h.Node)
	}
}

func (h *heartbeat) renewLease(ctx context.Context) error {
	lease := coordinationv1.Lease(h.Node, corev1.NamespaceNodeLease).WithSpec(coordinationv1.LeaseSpec().
		WithHolderIdentity(h.Node).WithLeaseDurationSeconds(leaseSeconds).WithRenewTime(metav1.NowMicro()))
	return h.client.Apply(ctx, lease, client.FieldOwner("kubelet"), client.ForceOwnership)
}

// recover reports the conditions that the node controller has reported as unknown while the node was lost.
func (h *heartbeat) recover(ctx context.Context) error {
	var node corev1.Node
	if err := h.client.Get(ctx, client.ObjectKey{Name: h.Node}, &node); err != nil {
		return err
	}
	changed := false
	for _, known := range conditions() {
		i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == known.Type && c.Status == corev1.ConditionUnknown
		})
		if i >= 0 {
			node.Status.Conditions[i], changed = known, true
		}
	}
	if !changed {
		return nil
	}
	return h.client.Status().Update(ctx, &node)
}

// conditions are those of a node that is well.
func conditions() []corev1.NodeCondition {
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) corev1.NodeCondition {
		now := metav1.Now()
		return corev1.NodeCondition{
			Type: kind, Status: status, Reason: reason, LastHeartbeatTime: now, LastTransitionTime: now,
		}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"),
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"),
	}
}
