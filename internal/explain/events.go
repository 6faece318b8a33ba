package explain

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// mostEvents is the maximum number of events to show for one object. Older events seldom add anything.
const mostEvents = 2

// warnings returns the newest events of type Warning of an object. The error says why the leaf did not answer.
func warnings(ctx context.Context, leaf *cluster.Leaf, object client.Object) ([]string, error) {
	var list corev1.EventList
	err := leaf.List(ctx, &list, client.InNamespace(object.GetNamespace()),
		client.MatchingFields{"involvedObject.uid": string(object.GetUID()), "type": corev1.EventTypeWarning})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(a, b corev1.Event) int { return lastSeen(&b).Compare(lastSeen(&a)) })
	lines := make([]string, 0, mostEvents)
	for i := range list.Items {
		line := fmt.Sprintf("Event %s: %s", trouble.Shown(list.Items[i].Reason),
			trouble.ShownLines(list.Items[i].Message))
		if len(lines) < mostEvents && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// lastSeen returns the time when an event happened last. The field for it depends on the library that wrote the event.
func lastSeen(event *corev1.Event) time.Time {
	times := []time.Time{event.CreationTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	return slices.MaxFunc(times, time.Time.Compare)
}
