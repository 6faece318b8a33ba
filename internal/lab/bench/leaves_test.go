package bench

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
)

// leaves are the clusters of one lab.
type leaves struct {
	*programs.Clusters

	names   []string
	clients map[string]client.WithWatch // by name
	before  []string                    // inventory, before anything was done
}

// startLeaves starts a lab with that number of leaves, which ends with the benchmark.
func startLeaves(b *testing.B, count int) *leaves {
	b.Helper()
	options := make([]string, count)
	for i := range options {
		options[i] = fmt.Sprintf("--cluster=leaf%d=10.%d.0.0/16", i+1, 200+i)
	}
	clusters, err := programs.StartClusters(ctx, os.Stderr, lab, filepath.Join(b.TempDir(), "lab"), options...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := clusters.Stop(); err != nil {
			b.Error(err)
		}
	})
	on := &leaves{Clusters: clusters, clients: map[string]client.WithWatch{}}
	for _, c := range clusters.Clusters {
		on.names = append(on.names, c.Name)
		on.clients[c.Name] = newClient(b, clusters.Kubeconfig, c.Name)
	}
	on.before = on.inventory(b)
	return on
}

func (on *leaves) inventory(b *testing.B) []string {
	b.Helper()
	objects, err := on.Inventory(ctx)
	if err != nil {
		b.Fatal(err)
	}
	return objects
}

// nothingIsLeft fails if the clusters have other objects than at the start. Then the work was not done, and its figure
// would be worthless.
func (on *leaves) nothingIsLeft(b *testing.B) {
	b.Helper()
	if difference := inspect.Compare(on.before, on.inventory(b)); !difference.Empty() {
		b.Fatalf("the clusters are not as they were before:\n%s", strings.Join(difference.Lines(), "\n"))
	}
}

// requests counts the requests to the leaves so far.
func (on *leaves) requests(b *testing.B) map[inspect.Request]int {
	b.Helper()
	counts, err := inspect.Requests(on.Clusters.Clusters)
	if err != nil {
		b.Fatal(err)
	}
	return counts
}

// moveAway returns a kubeconfig that leads to the leaves through relays, which end with the benchmark.
func (on *leaves) moveAway(b *testing.B) (kubeconfig string, relays []*relay.Relay) {
	b.Helper()
	config, err := clientcmd.LoadFromFile(on.Kubeconfig)
	if err != nil {
		b.Fatal(err)
	}
	for _, cluster := range config.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			b.Fatal(err)
		}
		between, err := relay.Start(server.Host, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = between.Close() })
		relays = append(relays, between)
		server.Host = between.Address()
		cluster.Server = server.String()
	}
	return writeKubeconfig(b, config), relays
}

// pair is two leaves to join.
type pair struct {
	Client string `json:"client"`
	Server string `json:"server"`
}

func (p pair) String() string { return p.Client + "-" + p.Server }

// mesh returns each pair of the leaves once.
func mesh(leaves []string) []pair {
	var pairs []pair
	for i, client := range leaves {
		for _, server := range leaves[i+1:] {
			pairs = append(pairs, pair{client, server})
		}
	}
	return pairs
}
