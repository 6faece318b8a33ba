// Package inspect reads the objects in the clusters of a lab.
package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// registry begins the keys of all objects in etcd. registryEnd is the first key after them.
const registry, registryEnd = "/registry/", "/registry0"

// Inventory returns a sorted line for every object of every kind in the clusters: `cluster
// group/resource namespace/name`. Kinds of Kubernetes itself have no group. It omits objects that come and go by
// themselves, and objects that Liqo keeps for good once a cluster has had its first gateway.
//
// It reads the keys in etcd. A list of each kind through the API server would be some eighty requests to a cluster,
// most of them for kinds without objects.
func Inventory(ctx context.Context, clusters []labdir.Cluster) ([]string, error) {
	lines := make([][]string, len(clusters))
	group, ctx := errgroup.WithContext(ctx)
	for i, cluster := range clusters {
		group.Go(func() error {
			keys, err := cluster.Etcd.Keys(ctx, registry, registryEnd)
			if err != nil {
				return fmt.Errorf("cluster %s: %w", cluster.Name, err)
			}
			for _, key := range keys {
				if o := objectOf(key); !o.passing() && !o.leftByLiqo(cluster.Nodes) {
					lines[i] = append(lines[i], cluster.Name+" "+o.kind+" "+o.name)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Sorted(slices.Values(slices.Concat(lines...))), nil
}

// object is an object in a cluster.
type object struct {
	kind string // group/resource, or resource if it is one of Kubernetes itself
	name string // namespace/name, or name
}

// irregular are the kinds whose keys have another name, from the time before they were called so.
var irregular = map[string]string{
	"minions": "nodes", "services/specs": "services", "services/endpoints": "endpoints",
	"controllers": "replicationcontrollers",
}

// objectOf returns the object that the API server keeps at a key.
func objectOf(key string) object {
	kind, name, _ := strings.Cut(strings.TrimPrefix(key, registry), "/")
	if strings.Contains(kind, ".") || kind == "services" {
		var second string
		second, name, _ = strings.Cut(name, "/")
		kind += "/" + second
	}
	if regular, ok := irregular[kind]; ok {
		kind = regular
	}
	return object{kind, name}
}

// passing reports whether objects of this kind come and go by themselves, or are notes that the API server makes for
// itself.
func (o object) passing() bool {
	return slices.Contains([]string{"events", "leases", "ranges"}, o.kind)
}

// leftByLiqo reports whether Liqo creates the object together with a cluster's first gateway and
// never removes it.
func (o object) leftByLiqo(nodes []labdir.Node) bool {
	name, inLiqo := strings.CutPrefix(o.name, "liqo/")
	if !inLiqo {
		return false
	}
	switch o.kind {
	case "networking.liqo.io/routeconfigurations":
		return slices.ContainsFunc(nodes, func(node labdir.Node) bool {
			kept := []string{node.Name + "-gw-node", node.Name + "-extcidr", node.Name + "-service-nodeport-routing"}
			return slices.Contains(kept, name)
		})
	case "networking.liqo.io/firewallconfigurations":
		return name == "service-nodeport-routing"
	}
	return false
}

// Difference is the lines that only one of two inventories has.
type Difference struct {
	// Added are the lines of the later one only. Removed are the lines of the earlier one only.
	Added, Removed []string
}

// Compare compares two inventories. A line, which is the name of an object, is in an inventory once.
func Compare(before, after []string) Difference {
	earlier, later := sets.New(before...), sets.New(after...)
	return Difference{Added: sets.List(later.Difference(earlier)), Removed: sets.List(earlier.Difference(later))}
}

// Empty reports whether the inventories are the same.
func (d Difference) Empty() bool { return len(d.Added)+len(d.Removed) == 0 }

// Lines returns the added lines with a plus, and then the removed lines with a minus.
func (d Difference) Lines() []string {
	lines := make([]string, 0, len(d.Added)+len(d.Removed))
	for _, line := range d.Added {
		lines = append(lines, "+ "+line)
	}
	for _, line := range d.Removed {
		lines = append(lines, "- "+line)
	}
	return lines
}
