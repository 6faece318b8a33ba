package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// asTable requests the table that kubectl would show.
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"

// Get prints the objects of a type in all namespaces of the clusters, with the API server's own
// columns. Resource is a type as kubectl accepts it. Get skips clusters that do not serve it, but
// fails if none does.
func Get(ctx context.Context, out io.Writer, clusters []labdir.Cluster, resource string) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	header, found := false, false
	var failed []error
	for _, cluster := range clusters {
		rows, err := get(ctx, cluster, resource)
		if errors.Is(err, errNoKind) {
			continue
		}
		found = true
		if err != nil { // the others may be all the more interesting
			failed = append(failed, fmt.Errorf("cluster %s: %w", cluster.Name, err))
			continue
		}
		if !header && len(rows.Rows) > 0 {
			fmt.Fprintln(table, "CLUSTER\tNAMESPACE\t"+strings.Join(columns(rows), "\t"))
			header = true
		}
		if err := printRows(table, cluster.Name, rows); err != nil {
			return err
		}
	}
	switch {
	case !found:
		return fmt.Errorf("%q: %w", resource, errNoKind)
	case !header && len(failed) == 0:
		fmt.Fprintln(table, "There are none.")
	}
	return errors.Join(append(failed, table.Flush())...)
}

func columns(rows *metav1.Table) []string {
	var names []string
	for _, column := range rows.ColumnDefinitions {
		if column.Priority == 0 { // the others are for `kubectl get -o wide`
			names = append(names, strings.ToUpper(column.Name))
		}
	}
	return names
}

func printRows(out io.Writer, cluster string, rows *metav1.Table) error {
	for _, row := range rows.Rows {
		var obj metav1.PartialObjectMetadata
		if err := json.Unmarshal(row.Object.Raw, &obj); err != nil {
			return err
		}
		cells := []string{cluster, obj.Namespace}
		for i, column := range rows.ColumnDefinitions {
			if column.Priority == 0 {
				cells = append(cells, Line(fmt.Sprint(row.Cells[i])))
			}
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return nil
}

// qps and burst are the limits of requests to one cluster. They are high because there are no other
// clients to protect.
const qps, burst = 500, 1000

func get(ctx context.Context, cluster labdir.Cluster, resource string) (*metav1.Table, error) {
	config, err := clientcmd.BuildConfigFromFlags("", cluster.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = qps, burst
	config.WarningHandler = rest.NoWarnings{}
	gvr, err := find(config, resource)
	if err != nil {
		return nil, err
	}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	api, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, err
	}
	path := "/apis/" + gvr.GroupVersion().String()
	if gvr.Group == "" {
		path = "/api/" + gvr.Version
	}
	var table metav1.Table
	err = api.Get().AbsPath(path, gvr.Resource).SetHeader("Accept", asTable).Do(ctx).Into(&table)
	return &table, err
}

// find returns the served type that a word names.
func find(config *rest.Config, word string) (schema.GroupVersionResource, error) {
	api, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	served := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(api))
	mapper := restmapper.NewShortcutExpander(served, api, nil)
	found, err := mapper.ResourceFor(schema.ParseGroupResource(strings.ToLower(word)).WithVersion(""))
	if meta.IsNoMatchError(err) {
		err = errNoKind
	}
	return found, err
}

// errNoKind means that a cluster does not serve the requested kind.
var errNoKind = errors.New("the server has no such resource type")

// Line returns a text that others have written, such as the message of an object in a cluster, as one line. Characters
// that are not printed are visible escapes, so that the text can neither change what is printed around it nor look like
// it.
func Line(text string) string { return escaped(text, "") }

// Lines is Line for a text of several lines.
func Lines(text string) string { return escaped(text, "\n\t") }

// escaped escapes what is not printed, except for the kept characters.
func escaped(text, kept string) string {
	var shown strings.Builder
	for _, char := range text {
		if strconv.IsPrint(char) || strings.ContainsRune(kept, char) {
			shown.WriteRune(char)
		} else {
			shown.WriteString(strings.Trim(strconv.QuoteRuneToASCII(char), "'"))
		}
	}
	return shown.String()
}
