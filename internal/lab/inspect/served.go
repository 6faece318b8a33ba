package inspect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/discovery"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// servedMetric is the API server's own count of served requests.
const servedMetric = "apiserver_request_total"

// Served counts the requests that the clusters' API servers have served since they started, of all
// clients, by their metric apiserver_request_total. A request counts when its answer is complete,
// so a watch counts when it has ended. Requests for no resource do not count.
func Served(ctx context.Context, clusters []labdir.Cluster) (map[Request]int, error) {
	metrics := make([][]byte, len(clusters))
	group, ctx := errgroup.WithContext(ctx)
	for i, cluster := range clusters {
		group.Go(func() error {
			config, err := clientConfig(cluster)
			if err != nil {
				return err
			}
			api, err := discovery.NewDiscoveryClientForConfig(config)
			if err != nil {
				return err
			}
			if metrics[i], err = api.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx); err != nil {
				return fmt.Errorf("the metrics of cluster %s: %w", cluster.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	counts := map[Request]int{}
	for i, cluster := range clusters {
		if err := countServed(counts, cluster.Name, bytes.NewReader(metrics[i])); err != nil {
			return nil, fmt.Errorf("the metrics of cluster %s: %w", cluster.Name, err)
		}
	}
	return counts, nil
}

// countServed adds the requests in metrics in Prometheus' text format.
func countServed(counts map[Request]int, cluster string, metrics io.Reader) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(metrics)
	if err != nil {
		return err
	}
	family := families[servedMetric]
	if family == nil {
		return fmt.Errorf("there is no %s", servedMetric)
	}
	for _, metric := range family.GetMetric() {
		label := labels(metric)
		if label["resource"] == "" {
			continue
		}
		request := Request{
			Cluster: cluster, Verb: strings.ToLower(label["verb"]),
			Resource: resourceName(label["resource"], label["group"], label["subresource"]),
		}
		counts[request] += int(metric.GetCounter().GetValue())
	}
	return nil
}

func labels(metric *dto.Metric) map[string]string {
	values := map[string]string{}
	for _, pair := range metric.GetLabel() {
		values[pair.GetName()] = pair.GetValue()
	}
	return values
}
