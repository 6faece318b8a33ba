package real

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"golang.org/x/sys/unix"
)

// served is what the node does for the cluster's Services.
type served struct {
	rules []translation
	// balancers are the addresses of load balancers for which the node answers.
	balancers []netip.Addr
}

// services is the node's kube-proxy and the path from the load balancer to it. A Service's packets
// go to one of its pods: the first ready one, by name.
type services struct{ *leaf }

// wholeCluster makes the controller reconcile everything, whatever has changed.
var wholeCluster = handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{{}}
})

// Reconcile updates the node from all Services.
func (s services) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list corev1.ServiceList
	var pods corev1.PodList
	if err := s.client.List(ctx, &list); err != nil {
		return ctrl.Result{}, err
	}
	if err := s.client.List(ctx, &pods); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.serve(serve(list.Items, pods.Items, s.NodeIP))
}

// serve applies the wanted state to the node. It must be called with the lock held.
func (l *leaf) serve(wanted served) error {
	for _, address := range l.served.balancers {
		if !slices.Contains(wanted.balancers, address) {
			l.port.RemoveAddress(address)
		}
	}
	for _, address := range wanted.balancers {
		l.port.AddAddress(address, l.Name)
	}
	l.served.balancers = wanted.balancers
	if slices.Equal(l.served.rules, wanted.rules) {
		return nil
	}
	if err := writeRules(l.node, wanted.rules); err != nil {
		return err
	}
	l.served.rules = wanted.rules
	return forget(l.node, wanted.rules)
}

// serve returns what the Services of a cluster request of a node.
func serve(list []corev1.Service, pods []corev1.Pod, node netip.Addr) served {
	var all served
	for i := range list {
		service := &list[i]
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			if address, err := netip.ParseAddr(ingress.IP); err == nil {
				all.balancers = append(all.balancers, address)
			}
		}
		backend := endpoint(service, pods)
		if backend == nil {
			continue
		}
		for _, port := range service.Spec.Ports {
			all.rules = append(all.rules, rules(service, port, backend, node)...)
		}
	}
	slices.SortFunc(all.rules, translation.compare)
	return all
}

// rules returns the translations for one port of a Service: at its cluster IPs, at its load
// balancer's addresses, and at the node.
func rules(service *corev1.Service, port corev1.ServicePort, backend *corev1.Pod, node netip.Addr) []translation {
	protocol, known := map[corev1.Protocol]uint8{
		corev1.ProtocolUDP: unix.IPPROTO_UDP,
		corev1.ProtocolTCP: unix.IPPROTO_TCP,
	}[port.Protocol]
	ip, err := netip.ParseAddr(backend.Status.PodIP)
	target := targetPort(port, backend)
	if !known || err != nil || target == 0 {
		return nil
	}
	to := netip.AddrPortFrom(ip, target)
	var list []translation
	from := func(address string, number int32) {
		if ip, err := netip.ParseAddr(address); err == nil && ip.Is4() {
			list = append(list, translation{protocol, netip.AddrPortFrom(ip, uint16(number)), to})
		}
	}
	for _, address := range service.Spec.ClusterIPs {
		from(address, port.Port) // "None" is no address
	}
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		from(ingress.IP, port.Port)
	}
	if port.NodePort != 0 {
		from(node.String(), port.NodePort)
	}
	return list
}

// targetPort returns the pod's port for a port of a Service, or zero if the pod has no port of that
// name.
func targetPort(port corev1.ServicePort, pod *corev1.Pod) uint16 {
	if name := port.TargetPort.StrVal; name != "" {
		for _, c := range pod.Spec.Containers {
			for _, p := range c.Ports {
				if p.Name == name {
					return uint16(p.ContainerPort)
				}
			}
		}
		return 0
	}
	return uint16(cmp.Or(port.TargetPort.IntVal, port.Port))
}

// endpoint returns the pod to which a Service leads, or nil.
func endpoint(service *corev1.Service, pods []corev1.Pod) *corev1.Pod {
	if len(service.Spec.Selector) == 0 {
		return nil
	}
	selector := labels.SelectorFromSet(service.Spec.Selector)
	var first *corev1.Pod
	for i := range pods {
		pod := &pods[i]
		selected := pod.Namespace == service.Namespace && selector.Matches(labels.Set(pod.Labels))
		if selected && isReady(pod) && (first == nil || pod.Name < first.Name) {
			first = pod
		}
	}
	return first
}

// isReady reports whether the pod's containers run.
func isReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
