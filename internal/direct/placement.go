package direct

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Placement says in which leaves a centre runs the pods of a Service and of its namespace.
type Placement struct {
	Namespace, Name string          // of the Service, in the centre
	Requested       bool            // the Service requests direct connections
	Serving         map[string]bool // cluster IDs of the leaves with pods that the Service selects
	Pods            map[string]int  // number of all pods of the namespace, by the cluster ID of the leaf
}

// Placements returns the Services of a centre with pods in leaves, sorted. It lists virtual nodes, Services and
// offloaded pods of all namespaces, each once. A pod counts from its creation to its end, ready or not, so that a
// restart makes no difference.
func Placements(ctx context.Context, centre *cluster.Leaf) ([]Placement, error) {
	var leaves map[string]string
	var services corev1.ServiceList
	var pods corev1.PodList
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { leaves, err = virtualNodes(ctx, centre); return err })
	group.Go(func() error { return centre.List(ctx, &services) })
	group.Go(func() error {
		return centre.List(ctx, &pods, client.MatchingLabels{consts.LocalPodLabelKey: consts.LocalPodLabelValue})
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	offloaded := map[string][]*corev1.Pod{} // by namespace
	for i := range pods.Items {
		pod := &pods.Items[i]
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if leaves[pod.Spec.NodeName] != "" && !ended {
			offloaded[pod.Namespace] = append(offloaded[pod.Namespace], pod)
		}
	}
	var all []Placement
	for i := range services.Items {
		service := &services.Items[i]
		if len(service.Spec.Selector) == 0 || isSkipped(service) {
			continue
		}
		placement := Placement{
			Namespace: service.Namespace, Name: service.Name, Requested: requests(service),
			Serving: map[string]bool{}, Pods: map[string]int{},
		}
		selector := labels.SelectorFromSet(service.Spec.Selector)
		for _, pod := range offloaded[service.Namespace] {
			leaf := leaves[pod.Spec.NodeName]
			placement.Pods[leaf]++
			if selector.Matches(labels.Set(pod.Labels)) {
				placement.Serving[leaf] = true
			}
		}
		if len(placement.Serving) > 0 {
			all = append(all, placement)
		}
	}
	slices.SortFunc(all, func(a, b Placement) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// isSkipped reports whether the Service says that Liqo shall not reflect it to leaves.
func isSkipped(service metav1.Object) bool {
	value, set := service.GetAnnotations()[consts.SkipReflectionAnnotationKey]
	return set && !strings.EqualFold(value, "false")
}
