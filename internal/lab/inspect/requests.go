package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

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
