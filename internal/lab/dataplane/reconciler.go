package dataplane

import (
	"context"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/firewall"
	"github.com/liqotech/liqo/pkg/gateway"
	"github.com/liqotech/liqo/pkg/gateway/concurrent"
	"github.com/liqotech/liqo/pkg/gateway/connection"
	"github.com/liqotech/liqo/pkg/gateway/forge"
	"github.com/liqotech/liqo/pkg/gateway/tunnel/wireguard"
	"github.com/liqotech/liqo/pkg/utils/getters"
	"github.com/spf13/pflag"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// latency is the reported latency of a tunnel, because there is nothing to measure.
const latency = time.Millisecond

// reconciler does for the gateway pods of one cluster what Liqo's containers in them would do.
type reconciler struct {
	plane   *Simulated
	cluster Cluster
	client  client.Client // reads from the cache
	live    client.Client // reads what it has just written
	scheme  *runtime.Scheme
}

// Reconcile reconciles one gateway pod.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	key := endKey{r.cluster.Name, req.NamespacedName}
	var pod corev1.Pod
	err := client.IgnoreNotFound(r.client.Get(ctx, req.NamespacedName, &pod))
	active := kubelet.IsReady(&pod) // which no pod is that is gone
	if active && err == nil {
		active, err = r.elect(ctx, &pod)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if !active {
		r.plane.drop(key)
		return ctrl.Result{}, nil
	}
	e := r.plane.get(key)
	if e == nil || e.uid != string(pod.UID) {
		if e, err = newEnd(ctx, r.live, r.cluster.Name, &pod); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.observe(ctx, e, &pod); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.enforce(ctx, e); err != nil {
		return ctrl.Result{}, err
	}
	result, err := r.report(ctx, e)
	r.plane.put(e)
	return result, err
}

// elect reports whether a pod is the active one of its gateway. If its arguments request an election and no other pod
// that is ready has won it, the pod gets the label of the active one.
func (r *reconciler) elect(ctx context.Context, pod *corev1.Pod) (bool, error) {
	options := gateway.NewOptions()
	container := kubelet.Container(pod, gatewayContainer)
	err := parse(container, func(flags *pflag.FlagSet) { gateway.InitFlags(flags, options) })
	if err != nil || !options.LeaderElection {
		return true, err
	}
	replicas, err := concurrent.ListAllGatewaysReplicas(ctx, r.live, pod.Namespace, pod.Labels[consts.K8sAppNameKey])
	if err != nil {
		return false, err
	}
	for i := range replicas {
		other := &replicas[i]
		if other.Labels[concurrent.ActiveGatewayKey] == "" || other.Name == pod.Name {
			continue
		}
		if kubelet.IsReady(other) {
			return false, nil
		}
		if err := concurrent.RemoveActiveGatewayLabel(ctx, r.live, client.ObjectKeyFromObject(other)); err != nil {
			return false, err
		}
	}
	if pod.Labels[concurrent.ActiveGatewayKey] == concurrent.ActiveGatewayValue {
		return true, nil
	}
	return true, concurrent.AddActiveGatewayLabel(ctx, r.live, client.ObjectKeyFromObject(pod))
}

// observe updates the end from the cluster: its addresses, and the other end's key.
func (r *reconciler) observe(ctx context.Context, e *end, pod *corev1.Pod) error {
	e.open = r.cluster.Settings.Get().Connect
	if e.wireguard.GwOptions.Mode == gateway.ModeServer {
		var services corev1.ServiceList
		if err := r.client.List(ctx, &services, client.InNamespace(pod.Namespace)); err != nil {
			return err
		}
		e.listens = addresses(services.Items, pod, e.wireguard.ListenPort, r.cluster.Nodes)
	}
	keys, err := getters.ListPublicKeysByLabel(ctx, r.client, pod.Namespace,
		labels.SelectorFromSet(labels.Set{consts.RemoteClusterID: e.remote()}))
	if err != nil {
		return err
	}
	for i := range keys.Items {
		key := &keys.Items[i]
		if version := string(key.UID) + key.ResourceVersion; version != e.peerKeyVersion {
			if e.peerKey, err = wgtypes.NewKey(key.Spec.PublicKey); err != nil {
				continue // Liqo's gateway can't use it either, and stops there
			}
			if err := wireguard.EnsureConnection(ctx, r.live, r.scheme, e.wireguard); err != nil {
				return err
			}
			e.peerKeyVersion = version
			if e.lastPong.IsZero() {
				e.lastPong = time.Now()
			}
		}
	}
	r.plane.put(e)
	return nil
}

// enforce reports the rules of the gateway as applied. There are no packets that it could drop.
func (r *reconciler) enforce(ctx context.Context, e *end) error {
	var rules networkingv1beta1.FirewallConfigurationList
	mine := client.MatchingLabels{firewall.FirewallUniqueTargetKey: e.remote()}
	if err := r.client.List(ctx, &rules, client.InNamespace(e.pod.Namespace), mine); err != nil {
		return err
	}
	for i := range rules.Items {
		before := len(rules.Items[i].Status.Conditions)
		if reactions.Enforce(&rules.Items[i]); len(rules.Items[i].Status.Conditions) == before {
			continue // it has reported already
		}
		if err := client.IgnoreNotFound(r.live.Status().Update(ctx, &rules.Items[i])); err != nil {
			return err
		}
	}
	return nil
}

// report writes the state of the tunnel as the connection check of Liqo's gateway does: Connected
// at the first answered ping, with the latency from time to time, and Error when the other end has
// been silent for too long.
func (r *reconciler) report(ctx context.Context, e *end) (ctrl.Result, error) {
	if e.peerKeyVersion == "" || r.cluster.Settings.Get().Mute { // no peer, no Connection, no ping
		return ctrl.Result{}, nil
	}
	var conn networkingv1beta1.Connection
	name := client.ObjectKey{Namespace: e.pod.Namespace, Name: forge.GatewayResourceName(e.wireguard.GwOptions.Name)}
	if err := r.live.Get(ctx, name, &conn); err != nil {
		// Someone deleted it. Liqo's gateway writes it again only when it starts or gets a new key.
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}

	now := time.Now()
	value, measured, next := networkingv1beta1.Connected, latency, e.check.PingUpdateStatusInterval
	if r.plane.up(e) {
		e.lastPong = now
	} else {
		if left := e.lossAfter() - now.Sub(e.lastPong); left > 0 {
			return ctrl.Result{RequeueAfter: left}, nil
		}
		value, measured, next, now = networkingv1beta1.ConnectionError, 0, 0, time.Time{}
	}
	err := connection.UpdateConnectionStatus(ctx, r.live, e.check, &conn, value, measured, now)
	return ctrl.Result{RequeueAfter: next}, client.IgnoreNotFound(err) // it may have been deleted in the meantime
}
