package real

import (
	"context"
	"errors"
	"net/netip"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// link is a pair of devices that replaces a Geneve tunnel. It has the names and addresses to which
// Liqo's routes refer.
type link struct {
	pod             types.UID
	nodeEnd, podEnd string
	nodeIP, podIP   netip.Addr
	mtu             int
}

// fabrics joins the node to each gateway's pod as Liqo's InternalFabrics specify.
type fabrics struct{ *leaf }

// Reconcile reconciles one InternalFabric.
func (f fabrics) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var fabric networkingv1beta1.InternalFabric
	err := f.client.Get(ctx, req.NamespacedName, &fabric)
	if apierrors.IsNotFound(err) || err == nil && fabric.DeletionTimestamp != nil {
		f.unlink(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	var node networkingv1beta1.InternalNode
	if err := f.client.Get(ctx, client.ObjectKey{Name: f.NodeName}, &node); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // when it appears, the fabric is reconciled again
	}
	return ctrl.Result{}, f.link(req.NamespacedName, &fabric, &node)
}

// link creates the devices for an InternalFabric. It must be called with the lock held.
func (l *leaf) link(
	key client.ObjectKey, fabric *networkingv1beta1.InternalFabric, node *networkingv1beta1.InternalNode,
) error {
	wanted := link{
		nodeEnd: fabric.Spec.Interface.Node.Name,
		podEnd:  node.Spec.Interface.Gateway.Name,
		mtu:     fabric.Spec.MTU,
	}
	var errs [3]error
	var gateway netip.Addr
	gateway, errs[0] = netip.ParseAddr(fabric.Spec.GatewayIP.String())
	wanted.nodeIP, errs[1] = netip.ParseAddr(node.Spec.Interface.Node.IP.String())
	wanted.podIP, errs[2] = netip.ParseAddr(fabric.Spec.Interface.Gateway.IP.String())
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	target := l.podAt(gateway)
	if target == nil { // Liqo has not yet noticed that the pod is gone, and will change the fabric
		l.unlink(key)
		return nil
	}
	wanted.pod = target.uid
	if l.links[key] == wanted {
		return nil
	}
	l.unlink(key)
	l.links[key] = wanted
	if err := addPair(l.node, target.Sandbox, wanted.nodeEnd, wanted.podEnd, wanted.mtu); err != nil {
		return err
	}
	_, inPod := addressed(target.Net, wanted.podEnd, wanted.podIP)
	_, inNode := addressed(l.node.Net, wanted.nodeEnd, wanted.nodeIP)
	err := errors.Join(inPod, inNode)
	if err != nil {
		l.unlink(key)
	}
	return err
}

// podAt returns the pod with an address, or nil. It must be called with the lock held.
func (l *leaf) podAt(ip netip.Addr) *pod {
	for _, p := range l.pods {
		if p.ip == ip {
			return p
		}
	}
	return nil
}

// unlink removes the devices for an InternalFabric, if there are any. It must be called with the lock held.
func (l *leaf) unlink(fabric client.ObjectKey) {
	if gone, ok := l.links[fabric]; ok {
		delete(l.links, fabric)
		removeDevice(l.node, gone.nodeEnd)
	}
}
