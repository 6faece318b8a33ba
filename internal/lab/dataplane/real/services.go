package real

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"

	liqoutils "github.com/liqotech/liqo/pkg/utils"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// services is the kube-proxy of each node, and the path from the load balancer to a ready one. A Service's packets
// go to one of its pods: the first ready one of the cluster, by name. If the cluster has none, they
// go to the first ready address in its EndpointSlices, such as that of a pod that Liqo reflects from another cluster.
type services struct{ *leaf }

// wholeCluster makes the controller reconcile everything, whatever has changed.
var wholeCluster = handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{{}}
})

// Reconcile updates the nodes from all Services.
func (s services) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list corev1.ServiceList
	var pods corev1.PodList
	var elsewhere discoveryv1.EndpointSliceList
	var nodes corev1.NodeList
	for _, each := range []client.ObjectList{&list, &pods, &elsewhere, &nodes} {
		if err := s.client.List(ctx, each); err != nil {
			return ctrl.Result{}, err
		}
	}
	s.balance(balancers(list.Items), nodes.Items)
	var errs []error
	for _, n := range s.nodes {
		errs = append(errs, n.translate(translations(list.Items, pods.Items, elsewhere.Items, n.spec.IP)))
	}
	return ctrl.Result{}, errors.Join(errs...)
}

// balance lets the addresses of load balancers lead to the first ready node. An address that leads there already stays
// as it is, so that no packet gets lost. It must be called with the lock held.
func (l *leaf) balance(wanted []netip.Addr, nodes []corev1.Node) {
	leads := map[netip.Addr]*node{}
	first := slices.IndexFunc(l.nodes, func(n *node) bool {
		return slices.ContainsFunc(nodes, func(node corev1.Node) bool {
			return node.Name == n.spec.Name && liqoutils.IsNodeReady(&node)
		})
	})
	if first >= 0 {
		for _, address := range wanted {
			leads[address] = l.nodes[first]
		}
	}
	for address, n := range l.balancers {
		if leads[address] != n {
			n.port.RemoveAddress(address)
		}
	}
	for address, n := range leads {
		if l.balancers[address] != n {
			n.port.AddAddress(address, l.Name)
		}
	}
	l.balancers = leads
}

// translate makes the node apply these translations. It must be called with the lock held.
func (n *node) translate(wanted []translation) error {
	if slices.Equal(n.rules, wanted) {
		return nil
	}
	if err := writeRules(n.sandbox, wanted); err != nil {
		return err
	}
	n.rules = wanted
	return forget(n.sandbox, wanted)
}

// balancers returns the addresses of load balancers.
func balancers(list []corev1.Service) []netip.Addr {
	var all []netip.Addr
	for i := range list {
		for _, ingress := range list[i].Status.LoadBalancer.Ingress {
			if address, err := netip.ParseAddr(ingress.IP); err == nil {
				all = append(all, address)
			}
		}
	}
	return all
}

// translations returns what the Services of a cluster request of a node.
func translations(
	list []corev1.Service, pods []corev1.Pod, elsewhere []discoveryv1.EndpointSlice, node netip.Addr,
) []translation {
	var all []translation
	for i := range list {
		service := &list[i]
		backend := endpoint(service, pods)
		for _, port := range service.Spec.Ports {
			to := remoteTarget(service, port, elsewhere)
			if backend != nil {
				to = target(port, backend)
			}
			if to.IsValid() && to.Port() != 0 {
				all = append(all, rules(service, port, to, node)...)
			}
		}
	}
	slices.SortFunc(all, translation.compare)
	return all
}

// target returns where a pod of the cluster serves a port of a Service. It is not valid if the pod has no address.
func target(port corev1.ServicePort, pod *corev1.Pod) netip.AddrPort {
	ip, err := netip.ParseAddr(pod.Status.PodIP)
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip, targetPort(port, pod))
}

// remoteTarget returns where what is no pod of the cluster serves a port of a Service. It is not valid if there is
// none.
func remoteTarget(
	service *corev1.Service, port corev1.ServicePort, elsewhere []discoveryv1.EndpointSlice,
) netip.AddrPort {
	for i := range elsewhere {
		slice := &elsewhere[i]
		if slice.Namespace != service.Namespace || slice.Labels[discoveryv1.LabelServiceName] != service.Name {
			continue
		}
		for _, served := range slice.Ports {
			for _, endpoint := range slice.Endpoints {
				ip, err := netip.ParseAddr(endpoint.Addresses[0])
				if err == nil && ptr.Deref(served.Name, "") == port.Name && ptr.Deref(endpoint.Conditions.Ready, true) {
					return netip.AddrPortFrom(ip, uint16(ptr.Deref(served.Port, 0)))
				}
			}
		}
	}
	return netip.AddrPort{}
}

// rules returns the translations for one port of a Service: at its cluster IPs, at its load
// balancer's addresses, and at the node.
func rules(service *corev1.Service, port corev1.ServicePort, to netip.AddrPort, node netip.Addr) []translation {
	protocol, known := map[corev1.Protocol]uint8{
		corev1.ProtocolUDP: unix.IPPROTO_UDP,
		corev1.ProtocolTCP: unix.IPPROTO_TCP,
	}[port.Protocol]
	if !known {
		return nil
	}
	var list []translation
	from := func(address string, number int32, public bool) {
		if ip, err := netip.ParseAddr(address); err == nil && ip.Is4() {
			list = append(list, translation{protocol, netip.AddrPortFrom(ip, uint16(number)), to, public})
		}
	}
	for _, address := range service.Spec.ClusterIPs {
		from(address, port.Port, false) // "None" is no address
	}
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		from(ingress.IP, port.Port, true)
	}
	if port.NodePort != 0 {
		from(node.String(), port.NodePort, true)
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
		if selected && kubelet.IsReady(pod) && (first == nil || pod.Name < first.Name) {
			first = pod
		}
	}
	return first
}
