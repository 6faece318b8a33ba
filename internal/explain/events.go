package explain

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// mostEvents is how many events of one object are told. Older ones seldom say more.
const mostEvents = 2

// warnings are the newest Warning events of an object, a line each. An error says why there is no answer.
func warnings(ctx context.Context, leaf *cluster.Leaf, object client.Object) ([]string, error) {
	var list corev1.EventList
	err := leaf.Live.List(ctx, &list, client.InNamespace(object.GetNamespace()),
		client.MatchingFields{"involvedObject.uid": string(object.GetUID()), "type": corev1.EventTypeWarning})
	if err != nil {
		return nil, leaf.Explain(err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.Event) int { return lastSeen(&b).Compare(lastSeen(&a)) })
	lines := make([]string, 0, mostEvents)
	for i := range list.Items {
		line := fmt.Sprintf("Event %s: %s", list.Items[i].Reason, list.Items[i].Message)
		if len(lines) < mostEvents && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// lastSeen is when an event happened last. Which field says so depends on the library that wrote it.
func lastSeen(event *corev1.Event) time.Time {
	latest := event.CreationTimestamp.Time
	times := []time.Time{event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	for _, t := range times {
		if t.After(latest) {
			latest = t
		}
	}
	return latest
}
