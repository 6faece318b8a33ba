package inspect

import (
	"maps"
	"strings"
	"testing"
)

const metrics = `# HELP apiserver_request_total [STABLE] Counter of apiserver requests broken out for each verb, ` +
	`dry run value, group, version, resource, scope, component, and HTTP response code.
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",component="apiserver",dry_run="",group="networking.liqo.io",` +
	`resource="configurations",scope="cluster",subresource="",verb="LIST",version="v1beta1"} 7
apiserver_request_total{code="410",component="apiserver",dry_run="",group="networking.liqo.io",` +
	`resource="configurations",scope="cluster",subresource="",verb="LIST",version="v1beta1"} 1
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="nodes",` +
	`scope="resource",subresource="status",verb="PATCH",version="v1"} 2
apiserver_request_total{code="200",component="",dry_run="",group="",resource="",` +
	`scope="",subresource="/readyz",verb="GET",version=""} 9
# TYPE apiserver_response_sizes_count counter
apiserver_response_sizes_count{group="networking.liqo.io",resource="configurations",verb="LIST"} 50
`

func TestWhatAnAPIServerHasServedIsCountedByVerbAndResourceWhateverTheAnswer(t *testing.T) {
	got := map[Request]int{}
	if err := countServed(got, "rome", strings.NewReader(metrics)); err != nil {
		t.Fatal(err)
	}
	want := map[Request]int{
		{"rome", "list", "configurations.networking.liqo.io"}: 8,
		{"rome", "patch", "nodes/status"}:                     2,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestMetricsWithoutTheCountAreAnError(t *testing.T) {
	if err := countServed(map[Request]int{}, "rome", strings.NewReader("up 1\n")); err == nil {
		t.Error("no error")
	}
}
