// Package dataplane joins the gateways of a lab's clusters. Its own data plane is simulated. The package real has the
// one that carries packets.
package dataplane

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

var _ DataPlane = &Simulated{}

// wakeBuffer is the maximum number of waiting events for one cluster. An event that finds the
// buffer full is dropped. Then so many are waiting that its pod will be reconciled anyway.
const wakeBuffer = 1024

// Simulated is the data plane of one lab, without packets. It needs no privileges. Its gateways read and write the same
// as Liqo's gateways, with Liqo's own functions. A tunnel is up if WireGuard would shake hands: the client dials an
// address of the server, and each end has the key with which the other end was started. It is safe for concurrent use.
type Simulated struct {
	mu sync.Mutex
	// ends has the ends of all clusters. wake has the channel that makes a cluster's controller
	// reconcile a pod again.
	ends map[endKey]*end
	wake map[string]chan event.GenericEvent
}

type endKey struct {
	cluster string
	pod     client.ObjectKey
}

// NewSimulated returns a data plane without clusters.
func NewSimulated() *Simulated {
	return &Simulated{ends: map[endKey]*end{}, wake: map[string]chan event.GenericEvent{}}
}

// Register implements DataPlane. Pods are only reported as running.
func (s *Simulated) Register(
	ctx context.Context, mgr manager.Manager, cluster Cluster,
) (map[string]kubelet.Runtime, error) {
	wake := make(chan event.GenericEvent, wakeBuffer)
	s.mu.Lock()
	s.wake[cluster.Name] = wake
	s.mu.Unlock()

	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, err
	}
	r := &reconciler{plane: s, cluster: cluster, client: mgr.GetClient(), live: live, scheme: mgr.GetScheme()}
	gateways := predicate.NewPredicateFuncs(func(obj client.Object) bool {
		pod, ok := obj.(*corev1.Pod)
		return ok && isGateway(pod)
	})
	beside := kubelet.Requeue(mgr.GetClient(), &corev1.PodList{}, isGateway)
	err = ctrl.NewControllerManagedBy(mgr).Named("data-plane").
		For(&corev1.Pod{}, builder.WithPredicates(gateways)).
		Watches(&corev1.Pod{}, beside, builder.WithPredicates(gateways)). // the others elect another active one
		Watches(&networkingv1beta1.PublicKey{}, beside).
		Watches(&networkingv1beta1.FirewallConfiguration{}, beside).
		Watches(&corev1.Service{}, beside).
		WatchesRawSource(source.Channel(wake, &handler.EnqueueRequestForObject{})).
		WatchesRawSource(source.Channel(cluster.Settings.Listen(ctx), beside)).
		Complete(r)
	if err != nil {
		return nil, fmt.Errorf("data plane: %w", err)
	}
	return nil, nil
}

// get returns a copy of the end that a pod holds, or nil.
func (s *Simulated) get(key endKey) *end {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.ends[key]; e != nil {
		c := *e
		return &c
	}
	return nil
}

// put stores an end, and reconciles the pods again that may be connected with it.
func (s *Simulated) put(e *end) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := endKey{e.cluster, e.pod}
	old := s.ends[key]
	s.ends[key] = e
	if old == nil || old.uid != e.uid || old.peerKey != e.peerKey || old.open != e.open ||
		!slices.Equal(old.listens, e.listens) {
		s.wakePeers(e)
	}
}

// drop removes the end of a pod that is gone.
func (s *Simulated) drop(key endKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.ends[key]; e != nil {
		delete(s.ends, key)
		s.wakePeers(e)
	}
}

// wakePeers must be called with the lock held.
func (s *Simulated) wakePeers(e *end) {
	for _, peer := range s.ends {
		if peer.wireguard.GwOptions.Mode == e.wireguard.GwOptions.Mode {
			continue
		}
		pod := &corev1.Pod{}
		pod.Namespace, pod.Name = peer.pod.Namespace, peer.pod.Name
		select {
		case s.wake[peer.cluster] <- event.GenericEvent{Object: pod}:
		default:
		}
	}
}

// up reports whether packets pass between an end and any other.
func (s *Simulated) up(e *end) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, peer := range s.ends {
		if e.shakesHandsWith(peer) || peer.shakesHandsWith(e) {
			return true
		}
	}
	return false
}

// Cluster is what a data plane needs to know about a cluster in addition to its objects.
type Cluster struct {
	Name     string
	Nodes    []Node
	Settings *kubelet.Settings
	// Liqo is the release of Liqo. Programs has the files of its programs by their names.
	Liqo     binaries.LiqoRelease
	Programs map[string]string
	// Kubeconfig is a file with an administrator's credentials. Logs is the folder for logs of
	// programs.
	Kubeconfig, Logs string
}

// Node is what a data plane needs to know about a node of a cluster.
type Node struct {
	Name string
	// IP is its address, on which the ports of NodePort Services are reachable. NATIP is its address
	// behind a NAT, if the data plane has one.
	IP, NATIP netip.Addr
	// Fabric is the name of the node's liqo-fabric, and FabricArgs are its arguments.
	Fabric     string
	FabricArgs []string
}

// DataPlane makes gateway pods do what Liqo's containers in them would do: hold one end of a tunnel
// each, and report its state in a Connection.
type DataPlane interface {
	// Register adds the data plane's controllers to the manager of a cluster. They end with ctx. A
	// cluster whose manager was stopped can be registered again. Its tunnels stay up in between, as
	// they do without an API server. Register returns what runs the pods of each node, by the
	// node's name, or nil if pods are only reported as running.
	Register(ctx context.Context, mgr manager.Manager, cluster Cluster) (map[string]kubelet.Runtime, error)
}
