package end

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// node returns a Ready node that is in a zone.
func node(name, zone string, change func(*corev1.Node)) client.Object {
	one := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelTopologyZone: zone,
	}}}
	one.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if change != nil {
		change(one)
	}
	return one
}

func TestAPlanKnowsWhichPodsFindNoPlace(t *testing.T) {
	edge := corev1.Taint{Key: "example.com/edge", Value: "true", Effect: corev1.TaintEffectNoSchedule}
	tolerant := []corev1.Toleration{{Key: edge.Key, Operator: corev1.TolerationOpExists}}
	nodes := []client.Object{
		node("one", "a", nil), node("two", "a", nil),
		node("tainted", "b", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{edge} }),
		node("cordoned", "b", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
		node("lost", "b", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }),
	}
	for name, test := range map[string]struct {
		pods     *liqo.PodSettings
		expected []trouble.ID
	}{
		"no settings":                 {nil, nil},
		"two on two nodes":            {&liqo.PodSettings{Replicas: 2}, nil},
		"three on two nodes":          {&liqo.PodSettings{Replicas: 3}, []trouble.ID{"replicas-without-node"}},
		"three, one on a tainted one": {&liqo.PodSettings{Replicas: 3, Tolerations: tolerant}, nil},
		"two in one zone": {
			&liqo.PodSettings{Replicas: 2, TopologyKey: corev1.LabelTopologyZone}, []trouble.ID{"replicas-without-node"},
		},
		"two on one selected node": {
			&liqo.PodSettings{Replicas: 2, NodeSelector: map[string]string{corev1.LabelHostname: "one"}},
			[]trouble.ID{"replicas-without-node"},
		},
		"a toleration of another value": {
			&liqo.PodSettings{Tolerations: []corev1.Toleration{{Key: edge.Key, Value: "false"}}},
			[]trouble.ID{"toleration-without-taint"},
		},
		"a toleration of what Kubernetes adds": {
			&liqo.PodSettings{Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: "Exists"}}}, nil,
		},
		"a PriorityClass that is not there": {
			&liqo.PodSettings{PriorityClassName: "nothing"}, []trouble.ID{"priority-class-missing"},
		},
	} {
		settings := overNodePort()
		settings.Pods = test.pods
		milan := milansEnd(t, nodes...)
		problems := milan.CheckPlacement(t.Context(), settings, func() (TemplateSettings, error) {
			return milan.CheckTemplate(t.Context(), settings)
		})
		if got := trouble.IDs(problems...); !slices.Equal(got, test.expected) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
