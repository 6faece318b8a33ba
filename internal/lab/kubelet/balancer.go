package kubelet

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// RegisterLoadBalancer adds a load balancer to the manager of a cluster. It gives out the addresses of a pool, and ends
// with ctx.
func RegisterLoadBalancer(ctx context.Context, mgr manager.Manager, addresses *Pool, settings *Settings) error {
	balancer := &balancerReconciler{addresses: addresses, settings: settings, client: mgr.GetClient()}
	services := Requeue(mgr.GetClient(), &corev1.ServiceList{}, func(*corev1.Service) bool { return true })
	err := ctrl.NewControllerManagedBy(mgr).Named("load-balancer").
		For(&corev1.Service{}).
		WatchesRawSource(source.Channel(settings.Listen(ctx), services)).
		Complete(balancer)
	if err != nil {
		return fmt.Errorf("load balancer: %w", err)
	}
	return nil
}

// balancerReconciler is a cloud's load balancer. It gives an address to each Service that requests
// one.
type balancerReconciler struct {
	addresses *Pool
	settings  *Settings
	client    client.Client
}

// Reconcile sets the address of a LoadBalancer Service, and removes it from a Service of another
// type. A Service that requests another address than it has gets it. While the load balancer is turned
// off, Services keep their addresses and new ones wait.
func (r *balancerReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var service corev1.Service
	if err := r.client.Get(ctx, req.NamespacedName, &service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	wanted := service.Spec.Type == corev1.ServiceTypeLoadBalancer
	given := service.Status.LoadBalancer.Ingress
	// The field is deprecated, but Liqo's gateways use it to request an address that the user chose.
	ip := service.Spec.LoadBalancerIP
	has := len(given) > 0 && (!wanted || ip == "" || given[0].IP == ip)
	switch {
	case wanted == has, wanted && !r.settings.Get().LoadBalancer, service.DeletionTimestamp != nil:
		return ctrl.Result{}, nil
	case wanted:
		if ip == "" {
			next, err := r.addresses.Take()
			if err != nil {
				return ctrl.Result{}, err
			}
			ip = next.String()
		}
		service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{
			{IP: ip, IPMode: new(corev1.LoadBalancerIPModeVIP)},
		}
	default:
		service.Status.LoadBalancer.Ingress = nil
	}
	err := r.client.Status().Update(ctx, &service)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) { // the cache is behind; the next event brings it again
		err = nil
	}
	return ctrl.Result{}, err
}

// firstHost is the index of the first address of a network that the pool gives out. Gateways and
// DNS servers usually have the addresses before it.
const firstHost = 10

// Pool gives out the addresses of a network in order, each once. It is safe for concurrent use.
type Pool struct {
	network netip.Prefix

	mu   sync.Mutex
	next netip.Addr
}

// NewPool returns a Pool of the addresses of a network, from the tenth on, but skips this number of first ones. If the
// network has fewer, it skips none.
func NewPool(network netip.Prefix, skip int) *Pool {
	network = network.Masked()
	next := after(network.Addr(), skip+firstHost)
	if !network.Contains(next) {
		next = after(network.Addr(), firstHost)
	}
	return &Pool{network: network, next: next}
}

// after returns the address that is n addresses after another.
func after(ip netip.Addr, count int) netip.Addr {
	for range count {
		ip = ip.Next()
	}
	return ip
}

// Take returns the next address. It fails if there is none left.
func (p *Pool) Take() (netip.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.network.Contains(p.next) {
		return netip.Addr{}, fmt.Errorf("%s has no free address left", p.network)
	}
	ip := p.next
	p.next = ip.Next()
	return ip, nil
}
