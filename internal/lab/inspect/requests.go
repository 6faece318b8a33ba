package inspect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
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
		log, err := os.Open(cluster.AuditLog)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", cluster.Name, err)
		}
		err = countRequests(counts, cluster.Name, log)
		if err := log.Close(); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("the audit log of cluster %s: %w", cluster.Name, err)
		}
	}
	return counts, nil
}

// SortedRequests returns the requests, sorted by cluster, verb and resource.
func SortedRequests(counts map[Request]int) []Request {
	requests := make([]Request, 0, len(counts))
	for request := range counts {
		requests = append(requests, request)
	}
	slices.SortFunc(requests, func(a, b Request) int {
		return strings.Compare(a.Cluster+" "+a.Verb+" "+a.Resource, b.Cluster+" "+b.Verb+" "+b.Resource)
	})
	return requests
}

// countRequests adds the requests of an audit log.
func countRequests(counts map[Request]int, cluster string, log io.Reader) error {
	reader := bufio.NewReader(log)
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF { // a line that is not complete is still being written
			return nil
		}
		if err != nil {
			return err
		}
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return err
		}
		counts[Request{Cluster: cluster, Verb: event.Verb, Resource: resource(&event)}]++
	}
}

func resource(event *auditv1.Event) string {
	object := event.ObjectRef
	if object == nil {
		if address, err := url.Parse(event.RequestURI); err == nil {
			return address.Path
		}
		return event.RequestURI
	}
	return resourceName(object.Resource, object.APIGroup, object.Subresource)
}

func resourceName(resource, group, subresource string) string {
	if group != "" {
		resource += "." + group
	}
	if subresource != "" {
		resource += "/" + subresource
	}
	return resource
}
