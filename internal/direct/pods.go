package direct

import (
	"cmp"
	"context"
	"slices"

	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// pod is a pod behind the Service, as the centre knows it.
type pod struct {
	name    string
	slice   string // the EndpointSlice of the centre that has it
	cluster string // ID of the cluster in which it runs
	address string // at which the centre reaches it
	kind    discoveryv1.AddressType
	ready   bool // for the centre
	ports   []discoveryv1.EndpointPort
}

// pods reads the pods behind the Service from the centre, sorted by name. It leaves out endpoints that are no pods.
func (s *Service) pods(ctx context.Context) ([]pod, error) {
	clusters, err := virtualNodes(ctx, s.Centre)
	if err != nil {
		return nil, err
	}
	var list discoveryv1.EndpointSliceList
	if err := s.Centre.List(ctx, &list, s.slices(s.Namespace)...); err != nil {
		return nil, err
	}
	var all []pod
	for _, slice := range list.Items {
		for _, endpoint := range slice.Endpoints {
			if endpoint.TargetRef == nil || endpoint.NodeName == nil || len(endpoint.Addresses) == 0 {
				continue
			}
			all = append(all, pod{
				name: endpoint.TargetRef.Name, slice: slice.Name, address: endpoint.Addresses[0], kind: slice.AddressType,
				ready: isReady(endpoint), ports: slice.Ports,
				cluster: cmp.Or(clusters[*endpoint.NodeName], string(s.Centre.ID)),
			})
		}
	}
	slices.SortFunc(all, func(a, b pod) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.slice, b.slice)) })
	return all, nil
}

// slices selects the EndpointSlices of the Service in a namespace of a cluster.
func (s *Service) slices(namespace string) []client.ListOption {
	return []client.ListOption{client.InNamespace(namespace), client.MatchingLabels{discoveryv1.LabelServiceName: s.Name}}
}

// virtualNodes returns the cluster IDs of the leaves that stand behind nodes of a centre, by the name of the node.
func virtualNodes(ctx context.Context, centre *cluster.Leaf) (map[string]string, error) {
	nodes := &metav1.PartialObjectMetadataList{}
	nodes.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
	if err := centre.List(ctx, nodes, client.MatchingLabels{consts.TypeLabel: consts.TypeNode}); err != nil {
		return nil, err
	}
	clusters := map[string]string{}
	for i := range nodes.Items {
		clusters[nodes.Items[i].Name] = cluster.RemoteID(&nodes.Items[i])
	}
	return clusters, nil
}

// destination is the namespace of a leaf into which the centre offloads pods of the Service.
type destination struct {
	id        string // of the leaf's cluster
	namespace string // empty unless the leaf has accepted it
}

// destinations reads the leaves into which the centre offloads the Service's namespace, sorted by ID.
func (s *Service) destinations(ctx context.Context) ([]destination, error) {
	var list offloadingv1beta1.NamespaceMapList
	if err := s.Centre.List(ctx, &list); err != nil {
		return nil, err
	}
	var all []destination
	for i := range list.Items {
		if list.Items[i].Labels[consts.ReplicationStatusLabel] == "true" {
			continue // of another cluster that offloads pods to the centre
		}
		desired, found := list.Items[i].Spec.DesiredMapping[s.Namespace]
		if !found || desired == "" {
			continue
		}
		m := destination{id: cluster.RemoteID(&list.Items[i])}
		if status := list.Items[i].Status.CurrentMapping[s.Namespace]; status.Phase == offloadingv1beta1.MappingAccepted {
			m.namespace = status.RemoteNamespace
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b destination) int { return cmp.Compare(a.id, b.id) })
	return all, nil
}
