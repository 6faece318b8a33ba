package fleet_test

import (
	"strings"
	"testing"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet/conformance"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// startLeaves starts leaves with the lab's release of Liqo until the end of the test.
func startLeaves(t *testing.T, specs func(binaries.LiqoRelease) []kube.Spec) *fleet.Fleet {
	t.Helper()
	liqo, err := binaries.DefaultLiqo()
	if err != nil {
		t.Fatal(err)
	}
	source, err := binaries.LiqoSource(t.Context(), liqo)
	if err != nil {
		t.Fatal(err)
	}
	installation, err := fleet.Load(kube.LoadChart(source), liqo)
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := installation.Start(specs(liqo))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := leaves.Close(); err != nil {
			t.Error(err)
		}
	})
	return leaves
}

func TestALeafOfAFleetAnswersAsAClusterDoes(t *testing.T) {
	leaves := startLeaves(t, func(liqo binaries.LiqoRelease) []kube.Spec {
		return fleet.Disjoint([]string{"rome", "milan"}, liqo)
	})
	conformance.Check(t, access(t, leaves, "rome"))
}

// access returns the access to a leaf.
func access(t *testing.T, leaves *fleet.Fleet, name string) *rest.Config {
	t.Helper()
	config, err := clientcmd.NewNonInteractiveClientConfig(*leaves.Kubeconfig, name, nil, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestALeafWithoutLiqoHasNoneOfItsKinds(t *testing.T) {
	leaves := startLeaves(t, func(binaries.LiqoRelease) []kube.Spec {
		return fleet.Disjoint([]string{"venice"}, binaries.LiqoRelease{})
	})
	client, err := discovery.NewDiscoveryClientForConfig(access(t, leaves, "venice"))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := client.ServerGroups()
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups.Groups {
		if strings.HasSuffix(group.Name, "liqo.io") {
			t.Errorf("it serves %s", group.Name)
		}
	}
}
