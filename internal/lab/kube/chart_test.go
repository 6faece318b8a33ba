package kube

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
)

// versions are one of each minor release of Liqo.
var versions = []binaries.LiqoVersion{"v1.0.1", "v1.1.2", "v1.2.0"}

// charts are those that a test has loaded. They are rendered once.
var charts = map[binaries.LiqoVersion]*Chart{}

func loadTestChart(t *testing.T, version binaries.LiqoVersion) *Chart {
	t.Helper()
	if charts[version] != nil {
		return charts[version]
	}
	source, err := binaries.LiqoSource(t.Context(), binaries.LiqoRelease{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	charts[version] = LoadChart(source)
	return charts[version]
}

func romeWith(version binaries.LiqoVersion) Spec {
	return Spec{
		Name: "rome", PodCIDR: netip.MustParsePrefix("10.202.0.0/16"), Liqo: binaries.LiqoRelease{Version: version},
		ExternalCIDR: netip.MustParsePrefix("10.70.0.0/16"), ServiceCIDR: netip.MustParsePrefix("10.96.0.0/16"),
	}
}

func TestTheChartHasTheClustersNetworksAndRunsNothing(t *testing.T) {
	for _, version := range versions {
		t.Run(string(version), func(t *testing.T) { wantChart(t, version) })
	}
}

// wantChart checks the chart of one version.
func wantChart(t *testing.T, version binaries.LiqoVersion) {
	t.Helper()
	objects, err := loadTestChart(t, version).Render(romeWith(version))
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

func TestOnlyGatewaysServeTheirMetricsIfTheyAreWanted(t *testing.T) {
	const ofGateway, ofWireGuard = "--metrics-address=:8082", "--metrics-address=:8084"
	for _, version := range versions {
		for _, wanted := range []bool{false, true} {
			spec := romeWith(version)
			spec.Metrics = wanted
			objects, err := loadTestChart(t, version).Render(spec)
			if err != nil {
				t.Fatal(err)
			}
			templates := 0
			for _, obj := range objects {
				rendered := fmt.Sprint(obj.Object)
				switch {
				case strings.HasPrefix(obj.GetKind(), "WgGateway"):
					templates++
					if strings.Contains(rendered, ofGateway) != wanted || strings.Contains(rendered, ofWireGuard) != wanted {
						t.Errorf("%s, metrics=%t: %s has %s", version, wanted, obj.GetKind(), rendered)
					}
				case obj.GetKind() == "VkOptionsTemplate" && !strings.Contains(rendered, "metricsEnabled:false"):
					t.Errorf("%s, metrics=%t: virtual kubelets have %s", version, wanted, rendered)
				case strings.HasSuffix(obj.GetKind(), "Monitor"):
					t.Errorf("%s, metrics=%t: there is a %s", version, wanted, obj.GetKind())
				}
			}
			if templates != 2 {
				t.Errorf("%s: %d templates of gateways", version, templates)
			}
		}
	}
}

func TestTheChartBringsItsCustomResourcesAndTheyAreServedFromTheStart(t *testing.T) {
	for _, version := range versions {
		crds, err := loadTestChart(t, version).CRDs()
		if err != nil || len(crds) < 20 {
			t.Errorf("%s: %d custom resource definitions, %v", version, len(crds), err)
		}
		for _, crd := range crds {
			establish(crd)
			if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) ||
				!apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.NamesAccepted) ||
				crd.Status.AcceptedNames.ListKind == "" || len(crd.Status.StoredVersions) != 1 {
				t.Errorf("%s: the status of %s is %+v", version, crd.Name, crd.Status)
			}
		}
	}
}
