// Package inspect reads the objects in the clusters of a lab.
package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/sets"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

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

// Request is a kind of request to an API server.
type Request struct {
	Cluster string
	// Verb is a verb of the Kubernetes API, such as list, watch or patch.
	Verb string
	// Resource is `resource.group` or `resource.group/subresource`. For other requests, it is the
	// path.
	Resource string
}

// Requests counts the requests to the clusters' API servers that used the lab's common kubeconfig,
// since the lab started. It does not include requests of the clusters' own programs. A request
// counts when it arrives.
func Requests(clusters []labdir.Cluster) (map[Request]int, error) {
	counts := map[Request]int{}
	for _, cluster := range clusters {
		log, err := os.ReadFile(cluster.AuditLog)
		if err == nil {
			err = countRequests(counts, cluster.Name, log)
		}
		if err != nil {
			return nil, fmt.Errorf("the audit log of cluster %s: %w", cluster.Name, err)
		}
	}
	return counts, nil
}

// SortedRequests returns the requests, sorted by cluster, verb and resource.
func SortedRequests(counts map[Request]int) []Request {
	return slices.SortedFunc(maps.Keys(counts), func(a, b Request) int {
		return strings.Compare(a.Cluster+" "+a.Verb+" "+a.Resource, b.Cluster+" "+b.Verb+" "+b.Resource)
	})
}

// countRequests adds the requests of an audit log.
func countRequests(counts map[Request]int, cluster string, log []byte) error {
	complete := log[:bytes.LastIndexByte(log, '\n')+1] // a line that is not complete is still being written
	for line := range bytes.Lines(complete) {
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return err
		}
		counts[Request{Cluster: cluster, Verb: event.Verb, Resource: resource(&event)}]++
	}
	return nil
}

func resource(event *auditv1.Event) string {
	object := event.ObjectRef
	if object == nil {
		if address, err := url.Parse(event.RequestURI); err == nil {
			return address.Path
		}
		return event.RequestURI
	}
	name := object.Resource
	if object.APIGroup != "" {
		name += "." + object.APIGroup
	}
	if object.Subresource != "" {
		name += "/" + object.Subresource
	}
	return name
}
