package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToExplain limits the time to find out why a wait has not ended.
const timeToExplain = 15 * time.Second

// Unknown reports whether an error means that no leaf of the provider block has the cluster ID.
func Unknown(err error) bool {
	_, unknown := errors.AsType[*cluster.UnknownIDError](err)
	return unknown
}

// untilFollowed returns when every leaf uses direct addresses, unless something keeps it from doing so.
func (s *Service) untilFollowed(ctx context.Context, members []*member) error {
	return s.together(members, func(m *member) error {
		return m.until(ctx, true, func(e Endpoint) bool { return !e.standing.isLate() })
	})
}

// untilBack returns when every leaf reaches the pods in other leaves through the centre.
func (s *Service) untilBack(ctx context.Context, members []*member) error {
	return s.together(members, func(m *member) error {
		return m.until(ctx, false, func(e Endpoint) bool {
			return e.Path == Local || e.Path == Central || e.Cluster == s.Centre.Name
		})
	})
}

// until returns when done returns true for all endpoints of the leaf. It looks again at each change of the leaf's
// EndpointSlices. In the meantime, pods may come and go in the centre, which also changes those EndpointSlices.
func (m *member) until(ctx context.Context, requested bool, done func(Endpoint) bool) error {
	var list discoveryv1.EndpointSliceList
	var late []Endpoint
	err := m.leaf.UntilList(ctx, &list, func(ctx context.Context) (bool, error) {
		pods, err := m.service.pods(ctx)
		if err != nil {
			return false, err
		}
		endpoints, _, err := m.look(ctx, pods, list.Items, requested)
		late = slices.DeleteFunc(endpoints, done)
		return len(late) == 0, err
	}, m.service.slices(m.namespace)...)
	if err == nil || ctx.Err() == nil || len(late) == 0 {
		return err
	}
	return m.explainLate(ctx, requested, late, err)
}

// untilNotified returns when Liqo in the centre has told the leaf that the Service requests direct connections, or that
// it does not.
func (m *member) untilNotified(ctx context.Context, requested bool) error {
	var list offloadingv1beta1.ShadowEndpointSliceList
	err := m.leaf.UntilList(ctx, &list, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(list.Items, func(slice offloadingv1beta1.ShadowEndpointSlice) bool {
			return isNotified(slice) != requested
		}), nil
	}, m.service.slices(m.namespace)...)
	if err == nil || ctx.Err() == nil {
		return err
	}
	return m.explainUntold(err)
}

// isNotified reports whether a ShadowEndpointSlice says which of its addresses are those of other leaves.
func isNotified(slice offloadingv1beta1.ShadowEndpointSlice) bool {
	_, notified := slice.Annotations[consts.DirectConnectionDataAnnotationKey]
	return notified
}

// explainLate says which part of Liqo has not followed when the time of a wait has run out.
func (m *member) explainLate(ctx context.Context, requested bool, late []Endpoint, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToExplain)
	defer cancel()
	var list offloadingv1beta1.ShadowEndpointSliceList
	if err := m.leaf.List(ctx, &list, m.service.slices(m.namespace)...); err != nil {
		return errors.Join(cause, err)
	}
	notified := slices.ContainsFunc(list.Items, isNotified)
	if notified != requested {
		return m.explainUntold(cause)
	}
	lines := make([]string, len(late))
	for i, e := range late {
		lines[i] = fmt.Sprintf("Pod %s in %q has the address %q (%s).", e.Pod, e.Cluster, e.Address, e.Path)
	}
	return &trouble.Problem{
		ID: "endpoints-not-updated", Leaf: m.name(), Err: cause,
		Summary:  fmt.Sprintf("Liqo does not update the EndpointSlices of Service %s/%s", m.namespace, m.service.Name),
		Evidence: lines,
		Advice: "The central cluster has told this leaf, in ShadowEndpointSlices. Look at the log of " +
			"liqo-controller-manager on this leaf.",
	}
}

// explainUntold is the error if the centre does not tell the leaf about a change.
func (m *member) explainUntold(cause error) error {
	return &trouble.Problem{
		ID: "service-change-not-passed", Leaf: m.name(), Err: cause,
		Summary: "The central cluster does not pass on the change of " + m.service.String(),
		Advice: fmt.Sprintf("The ShadowEndpointSlices in namespace %q of this leaf are as before. Check that the virtual "+
			"kubelet for %q runs in %q, in namespace liqo-tenant-%s, that its image is of Liqo 1.2 or newer (an update of Liqo "+
			"does not change it), and that the Service is not excluded from the reflection.",
			m.namespace, m.name(), m.service.Centre.Name, m.id),
	}
}
