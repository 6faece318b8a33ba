package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

func TestAPeeringNamesTwoClustersWithLiqo(t *testing.T) {
	values := []string{"europe=10.200.0.0/16", "rome=10.202.0.0/16", "venice=10.205.0.0/16,no-liqo"}
	clusters, err := parseClusters(t.Context(), values, standard)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parsePeerings([]string{"europe=rome"}, clusters)
	if err != nil || !slices.Equal(got, []peering{{"europe", "rome"}}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, value := range []string{"europe", "europe=europe", "europe=turin", "europe=venice", "=rome"} {
		if _, err := parsePeerings([]string{value}, clusters); err == nil || !strings.Contains(err.Error(), "--peer "+value) {
			t.Errorf("%s: the error is %v", value, err)
		}
	}
}

func TestAClusterThatIsNotPeerableIsNotPeered(t *testing.T) {
	clusters := []labdir.Cluster{{Name: "europe", Peerable: true}, {Name: "rome"}}
	for name, reason := range map[string]string{"rome": "--peerable", "turin": "no cluster"} {
		if _, err := peerable(clusters, name); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if found, err := peerable(clusters, "europe"); err != nil || found.Name != "europe" {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestTheLiqoctlOfTwoClustersIsTheOneOfTheOlderVersion(t *testing.T) {
	older, newer := labdir.Cluster{LiqoVersion: "v1.0.1"}, labdir.Cluster{LiqoVersion: "v1.2.0"}
	for _, pair := range [][2]labdir.Cluster{{older, newer}, {newer, older}} {
		want := binaries.Liqoctl.At(binaries.LiqoRelease{Version: "v1.0.1"})
		if got := liqoctlFor(pair[0], pair[1]); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v", got)
		}
	}
}
