package fleet_test

import (
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet/conformance"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

func TestALeafOfAFleetAnswersAsAClusterDoes(t *testing.T) {
	liqo, err := binaries.DefaultLiqo()
	if err != nil {
		t.Fatal(err)
	}
	source, err := binaries.LiqoSource(t.Context(), liqo)
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := fleet.Start([]string{"rome", "milan"}, kube.LoadChart(source), liqo)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := leaves.Close(); err != nil {
			t.Error(err)
		}
	}()
	config, err := clientcmd.NewNonInteractiveClientConfig(*leaves.Kubeconfig, "rome", nil, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	conformance.Check(t, config)
}
