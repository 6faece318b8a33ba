package cluster

import (
	"net/netip"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
)

func loadTestChart(t *testing.T) *Chart {
	t.Helper()
	source, err := binaries.LiqoSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return LoadChart(source, "v1.2.0")
}

func TestTheChartHasTheClustersNetworksAndRunsNothing(t *testing.T) {
	objects, err := loadTestChart(t).Render(Spec{
		Name: "rome", PodCIDR: netip.MustParsePrefix("10.202.0.0/16"),
		ExternalCIDR: netip.MustParsePrefix("10.70.0.0/16"), ServiceCIDR: netip.MustParsePrefix("10.96.0.0/16"),
	})
	if err != nil {
		t.Fatal(err)
	}
	networks, deployments := map[string]string{}, 0
	for _, obj := range objects {
		switch obj.GetKind() {
		case "Network":
			networks[obj.GetName()], _, _ = unstructured.NestedString(obj.Object, "spec", "cidr")
		case "Deployment":
			deployments++
			if replicas, _, err := unstructured.NestedFloat64(obj.Object, "spec", "replicas"); replicas != 0 || err != nil {
				t.Errorf("Deployment %s has %v replicas, %v", obj.GetName(), replicas, err)
			}
		case "DaemonSet", "Job", "CronJob", "APIService":
			t.Errorf("there is %s %s", obj.GetKind(), obj.GetName())
		}
	}
	if networks["pod-cidr"] != "10.202.0.0/16" || networks["external-cidr"] != "10.70.0.0/16" ||
		networks["service-cidr"] != "10.96.0.0/16" {
		t.Errorf("networks %v", networks)
	}
	if deployments != 1 {
		t.Errorf("%d Deployments; only Liqo's own is needed", deployments)
	}
}

func TestTheChartBringsItsCustomResources(t *testing.T) {
	files, err := os.ReadDir(loadTestChart(t).crds())
	if err != nil || len(files) < 20 {
		t.Errorf("%d files, %v", len(files), err)
	}
}
