package real

import (
	"context"
	"errors"
	"net/netip"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/vishvananda/netns"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// link is a pair of devices that replaces a Geneve tunnel. It has the names and addresses to which
// Liqo's routes refer.
//
// Like a Geneve tunnel, it outlives its pod, until Liqo changes the InternalFabric. Without a device,
// Liqo's fabric would look only a second later whether there is one for its routes.
type link struct {
	pod             types.UID
	nodeEnd, podEnd string
	nodeIP, podIP   netip.Addr
	mtu             int

	network netns.NsHandle // of the pod, open so that it does not end with the pod
}

// fabrics joins every node to each gateway's pod as Liqo's InternalFabrics specify.
type fabrics struct{ *leaf }

// Reconcile reconciles one InternalFabric.
func (f fabrics) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var fabric networkingv1beta1.InternalFabric
	err := f.client.Get(ctx, req.NamespacedName, &fabric)
	if apierrors.IsNotFound(err) || err == nil && fabric.DeletionTimestamp != nil {
		for _, n := range f.nodes {
			n.unlink(req.NamespacedName)
		}
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	var errs []error
	for _, n := range f.nodes {
		errs = append(errs, n.follow(ctx, &fabric))
	}
	return ctrl.Result{}, errors.Join(errs...)
}

// follow joins the node to a gateway's pod as the InternalFabric and the node's own InternalNode specify. It must be
// called with the lock held.
func (n *node) follow(ctx context.Context, fabric *networkingv1beta1.InternalFabric) error {
	var internal networkingv1beta1.InternalNode
	if err := n.leaf.client.Get(ctx, client.ObjectKey{Name: n.spec.Name}, &internal); err != nil {
		return client.IgnoreNotFound(err) // when it appears, the fabric is reconciled again
	}
	return n.link(fabric, &internal)
}

// link creates the devices for an InternalFabric. It must be called with the lock held.
func (n *node) link(fabric *networkingv1beta1.InternalFabric, internal *networkingv1beta1.InternalNode) error {
	key := client.ObjectKeyFromObject(fabric)
	wanted := link{
		nodeEnd: fabric.Spec.Interface.Node.Name,
		podEnd:  internal.Spec.Interface.Gateway.Name,
		mtu:     fabric.Spec.MTU,
	}
	var errs [3]error
	var gateway netip.Addr
	gateway, errs[0] = netip.ParseAddr(fabric.Spec.GatewayIP.String())
	wanted.nodeIP, errs[1] = netip.ParseAddr(internal.Spec.Interface.Node.IP.String())
	wanted.podIP, errs[2] = netip.ParseAddr(fabric.Spec.Interface.Gateway.IP.String())
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	target := n.leaf.podAt(gateway)
	if target == nil { // Liqo has not yet noticed that the pod is gone, and will change the fabric
		return nil
	}
	existing := n.links[key]
	if wanted.pod, wanted.network = target.uid, existing.network; existing == wanted {
		return nil
	}
	if existing.pod == wanted.pod {
		n.unlink(key) // a pod has only one device of this name
	}
	var err error
	if wanted.network, err = netns.GetFromPid(target.PID); err != nil {
		return err
	}
	return n.relink(key, wanted, target)
}

// relink replaces the devices for an InternalFabric. It prepares the new ones first. As in Liqo's fabric,
// which creates a Geneve tunnel right after it has deleted the one before, the node then hardly is without.
// It must be called with the lock held.
func (n *node) relink(key client.ObjectKey, wanted link, target *pod) error {
	const prepared = "prepared"
	err := addPair(n.sandbox, target.Sandbox, prepared, wanted.podEnd, wanted.mtu)
	if err == nil {
		_, err = addressed(target.Net, wanted.podEnd, wanted.podIP)
	}
	n.unlink(key)
	n.links[key] = wanted
	if err == nil {
		err = rename(n.sandbox.Net, prepared, wanted.nodeEnd)
	}
	if err == nil {
		_, err = addressed(n.sandbox.Net, wanted.nodeEnd, wanted.nodeIP)
	}
	if err != nil {
		removeDevice(n.sandbox, prepared)
		n.unlink(key)
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
func (n *node) unlink(fabric client.ObjectKey) {
	if gone, ok := n.links[fabric]; ok {
		delete(n.links, fabric)
		removeDevice(n.sandbox, gone.nodeEnd)
		_ = gone.network.Close()
	}
}
