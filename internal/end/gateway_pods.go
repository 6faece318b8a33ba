package end

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// activeLabel marks the replica of a gateway that holds the tunnel. Liqo defines it in pkg/gateway/concurrent, which
// imports controller-runtime's whole manager.
const activeLabel = "networking.liqo.io/active"

// GatewayPods returns the pods of a gateway, sorted by name. This includes pods that are marked for deletion. It reads
// live.
func (e *End) GatewayPods(ctx context.Context, gateway client.Object) ([]liqo.GatewayPod, error) {
	running, err := liqo.PodsOf(ctx, e.Leaf, gateway)
	if err != nil {
		return nil, err
	}
	var pods []liqo.GatewayPod
	for i := range running {
		pod := &running[i]
		active := pod.Labels[activeLabel] == "true"
		shown := liqo.GatewayPod{
			Name: pod.Name, Namespace: pod.Namespace, Node: pod.Spec.NodeName, Active: active, Ready: isReady(pod),
		}
		if active {
			shown.ActiveSince = activeSince(pod)
		}
		pods = append(pods, shown)
	}
	slices.SortFunc(pods, func(a, b liqo.GatewayPod) int { return cmp.Compare(a.Name, b.Name) })
	return pods, nil
}

// activeOf returns the pod that holds a gateway's tunnel, or nil.
func activeOf(pods []corev1.Pod) *corev1.Pod {
	i := slices.IndexFunc(pods, func(pod corev1.Pod) bool {
		return pod.Labels[activeLabel] == "true" && pod.DeletionTimestamp == nil
	})
	if i < 0 {
		return nil
	}
	return &pods[i]
}

func isReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil &&
		slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
			return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
		})
}

// activeSince returns when a pod got the label of the active one. Nothing but the record of who has set which field
// says it.
func activeSince(pod *corev1.Pod) time.Time {
	for _, entry := range pod.ManagedFields {
		if entry.FieldsV1 != nil && entry.Time != nil && strings.Contains(string(entry.FieldsV1.Raw), `"f:`+activeLabel+`"`) {
			return entry.Time.Time
		}
	}
	return pod.CreationTimestamp.Time
}

// StandbyMissing returns why no replica of the gateway could take over, or which of them no node takes. It returns nil
// if all is well, or if the gateway has only one. It asks the leaf only if the gateway has settings of its pods. What
// it can't find out is no problem.
func (e *End) StandbyMissing(ctx context.Context) *trouble.Problem {
	desired, pods := e.replicas(ctx)
	if desired == 0 {
		return nil
	}
	if problem := e.withoutNode(desired, pods); problem != nil {
		return problem
	}
	ready := 0
	for i := range pods {
		if isReady(&pods[i]) {
			ready++
		}
	}
	if ready >= 2 {
		return nil
	}
	return &trouble.Problem{
		ID: "standby-missing", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("%d of %d pods of the gateway are ready", ready, desired),
		Advice: "No other one could take over from the active pod now. This is no change to plan: Kubernetes starts the " +
			"pods. `kubectl describe` says what they wait for.",
	}
}

// PodsWithoutNode returns which replicas of the gateway no node takes. Unlike [End.StandbyMissing], it says nothing of
// those that are still to start.
func (e *End) PodsWithoutNode(ctx context.Context) *trouble.Problem {
	return e.withoutNode(e.replicas(ctx))
}

// replicas returns how many pods the gateway shall have, and those that it has. The number is 0 if it shall have only
// one, or if nobody knows.
func (e *End) replicas(ctx context.Context) (desired int32, pods []corev1.Pod) {
	objects, err := e.Find(ctx)
	if err != nil || objects.Gateway == nil {
		return 0, nil
	}
	derivation := liqo.DerivationOf(objects.Gateway)
	if derivation == nil || derivation.Pods.Replicas < 2 {
		return 0, nil
	}
	if pods, err = liqo.PodsOf(ctx, e.Leaf, objects.Gateway); err != nil {
		return 0, nil
	}
	return derivation.Pods.Replicas, pods
}

// withoutNode returns a problem with what the scheduler says of the pods that no node takes, or nil.
func (e *End) withoutNode(desired int32, pods []corev1.Pod) *trouble.Problem {
	var evidence []string
	for i := range pods {
		if verdict := explain.Unscheduled(e.Leaf, &pods[i]); verdict != "" && pods[i].DeletionTimestamp == nil {
			evidence = append(evidence, verdict)
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	return &trouble.Problem{
		ID: "standby-not-scheduled", Leaf: e.Leaf.Name, Evidence: evidence,
		Summary: fmt.Sprintf("no node takes %d of %d pods of the gateway", len(evidence), desired),
		Advice: "The gateway works with the others. Kubernetes starts these as soon as a node takes them. Until then, they " +
			"can't take over.",
	}
}
