package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// pageSize is the maximum number of objects in one response.
const pageSize = 500

// Inventory returns a sorted line for every object of every kind in the clusters: `cluster
// group/version/resource namespace/name`. It omits objects that come and go by themselves, and
// objects that Liqo keeps for good once a cluster has had its first gateway.
func Inventory(ctx context.Context, clusters []labdir.Cluster) ([]string, error) {
	var mu sync.Mutex
	var lines []string
	group, ctx := errgroup.WithContext(ctx)
	for _, cluster := range clusters {
		group.Go(func() error {
			found, err := inventory(ctx, cluster)
			if err != nil {
				return fmt.Errorf("cluster %s: %w", cluster.Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, found...)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	slices.Sort(lines)
	return lines, nil
}

func inventory(ctx context.Context, cluster labdir.Cluster) ([]string, error) {
	config, err := clientConfig(cluster)
	if err != nil {
		return nil, err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	resources, err := listable(config)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, gvr := range resources {
		items, err := list(ctx, objects.Resource(gvr))
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", gvr.GroupResource(), err)
		}
		for i := range items {
			if !leftByLiqo(gvr, &items[i], cluster.Name+"-node") {
				lines = append(lines, line(cluster.Name, gvr, &items[i]))
			}
		}
	}
	return lines, nil
}

// listable returns the resource types of a cluster whose objects can be listed and are permanent.
func listable(config *rest.Config) ([]schema.GroupVersionResource, error) {
	api, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	served, err := api.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	var resources []schema.GroupVersionResource
	for _, group := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, served) {
		gv, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return nil, err
		}
		for i := range group.APIResources {
			if gvr := gv.WithResource(group.APIResources[i].Name); !passing(gvr) {
				resources = append(resources, gvr)
			}
		}
	}
	return resources, nil
}

func list(ctx context.Context, resource metadata.ResourceInterface) ([]metav1.PartialObjectMetadata, error) {
	var items []metav1.PartialObjectMetadata
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := resource.List(ctx, options)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if options.Continue = page.Continue; options.Continue == "" {
			return items, nil
		}
	}
}

func line(cluster string, gvr schema.GroupVersionResource, obj *metav1.PartialObjectMetadata) string {
	kind := gvr.GroupVersion().String() + "/" + gvr.Resource
	if obj.Namespace == "" {
		return fmt.Sprintf("%s %s %s", cluster, kind, obj.Name)
	}
	return fmt.Sprintf("%s %s %s/%s", cluster, kind, obj.Namespace, obj.Name)
}

// passing reports whether objects of a kind come and go by themselves.
func passing(gvr schema.GroupVersionResource) bool {
	return gvr.Resource == "events" || gvr.Resource == "leases" || gvr.Group == "metrics.k8s.io" ||
		gvr.Group == "metrics.liqo.io"
}

// leftByLiqo reports whether Liqo creates an object together with a cluster's first gateway and
// never removes it.
func leftByLiqo(gvr schema.GroupVersionResource, obj *metav1.PartialObjectMetadata, node string) bool {
	if gvr.Group != "networking.liqo.io" || obj.Namespace != "liqo" {
		return false
	}
	switch gvr.Resource {
	case "routeconfigurations":
		return slices.Contains([]string{node + "-gw-node", node + "-extcidr", node + "-service-nodeport-routing"}, obj.Name)
	case "firewallconfigurations":
		return obj.Name == "service-nodeport-routing"
	}
	return false
}

// errNoKind means that a cluster does not serve the requested kind.
var errNoKind = errors.New("the server has no such resource type")

// matches reports whether a user's word names a resource type.
func matches(word string, kind *metav1.APIResource, group string) bool {
	word = strings.ToLower(word)
	return word == kind.Name || word == kind.SingularName || strings.EqualFold(word, kind.Kind) ||
		word == kind.Name+"."+group || slices.Contains(kind.ShortNames, word)
}
