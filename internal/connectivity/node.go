package connectivity

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/liqotech/liqo/pkg/consts"
	liqoutils "github.com/liqotech/liqo/pkg/utils"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// MostNodes is the largest number of nodes of a leaf in a test. With more, what a pod reports would no longer fit into
// a termination message.
const MostNodes = 20

// findNodes finds out the names of the leaf's nodes that the test uses: at most so many, the gateway's first. It leaves
// out nodes that a user's pods would not run on. Zero stands for [MostNodes].
func (s *station) findNodes(ctx context.Context, atMost int) error {
	var list corev1.NodeList
	if err := s.Leaf.List(ctx, &list); err != nil {
		return err
	}
	pods, err := s.GatewayPods(ctx, s.objects.Gateway)
	if err != nil {
		return err
	}
	s.gateways = map[string]bool{}
	for _, pod := range pods {
		s.gateways[pod.Node] = true
	}
	usable := slices.DeleteFunc(list.Items, func(node corev1.Node) bool { return !runsPods(&node) })
	if len(usable) == 0 {
		return &trouble.Problem{
			ID: "test-nodes-unusable", Leaf: s.Leaf.Name, Summary: "no node can run the test's pods",
			Evidence: []string{fmt.Sprintf("Of %d nodes, each is not ready, cordoned, tainted, a virtual node, or does not run "+
				"Linux.", len(list.Items))},
		}
	}
	names := make([]string, len(usable))
	for i := range usable {
		names[i] = usable[i].Name
	}
	last := func(name string) int {
		if s.gateways[name] {
			return 0
		}
		return 1
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a, b)) })
	s.names = names[:min(len(names), cmp.Or(atMost, MostNodes))]
	return nil
}

// runsPods reports whether a user's pods run on a node.
func runsPods(node *corev1.Node) bool {
	tainted := slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Effect != corev1.TaintEffectPreferNoSchedule
	})
	return liqoutils.IsNodeReady(node) && !tainted && !node.Spec.Unschedulable &&
		node.Labels[consts.TypeLabel] != consts.TypeNode &&
		cmp.Or(node.Labels[corev1.LabelOSStable], "linux") == "linux"
}
