package kubelet

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	coordinationv1 "k8s.io/client-go/applyconfigurations/coordination/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
