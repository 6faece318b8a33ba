package inspect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// Arrival is one request to an API server, when it arrived there.
type Arrival struct {
	Request
	At time.Time
}

// Arrivals returns the requests that [Requests] counts between two times, in the order of their arrival.
func Arrivals(clusters []labdir.Cluster, since, until time.Time) ([]Arrival, error) {
	var arrivals []Arrival
	for _, cluster := range clusters {
		log, err := os.Open(cluster.AuditLog)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", cluster.Name, err)
		}
		err = eachRequest(log, func(event *auditv1.Event) {
			if at := event.RequestReceivedTimestamp.Time; !at.Before(since) && !at.After(until) {
				arrivals = append(arrivals, Arrival{
					Request: Request{Cluster: cluster.Name, Verb: event.Verb, Resource: resource(event)}, At: at,
				})
			}
		})
		if err := log.Close(); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("the audit log of cluster %s: %w", cluster.Name, err)
		}
	}
	slices.SortStableFunc(arrivals, func(a, b Arrival) int { return a.At.Compare(b.At) })
	return arrivals, nil
}

// eachRequest calls do with each request of an audit log.
func eachRequest(log io.Reader, do func(*auditv1.Event)) error {
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
		do(&event)
	}
}
