package kube

import (
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
)

func TestTheProgramsOfEachVersionGetTheFlagsOfItsChart(t *testing.T) {
	for _, version := range versions {
		c := &Cluster{Options: Options{
			Spec: romeWith(version), Installation: Installation{Chart: loadTestChart(t, version)},
		}}
		for _, test := range []struct {
			program binaries.Program
			flag    string
		}{
			{binaries.LiqoControllerManager, "--cluster-id=rome"},
			{binaries.LiqoControllerManager, "--liqo-namespace=liqo"},
			{binaries.LiqoWebhook, "--podcidr=10.202.0.0/16"},
			{binaries.LiqoIPAM, "--port=6000"},
			{binaries.LiqoCRDReplicator, "--cluster-id=rome"},
		} {
			if got, err := c.chartFlags(test.program); err != nil || !slices.Contains(got, test.flag) {
				t.Errorf("%s: the flags of %s are %q, %v", version, test.program.Name, got, err)
			}
		}
		const name = "liqo-fabric-2"
		fabric, err := c.fabricFlags(name)
		if err != nil || !slices.Contains(fabric, "--nodename="+noNode) || !slices.Contains(fabric, "--podname="+name) {
			t.Errorf("%s: the flags of the fabric are %q, %v", version, fabric, err)
		}
	}
}

func TestALabChangesOnlyFlagsThatAProgramHasAndAddsThoseThatItNeeds(t *testing.T) {
	chart := flags{"--storage=true", "--v=2", "--trusted-ca", "--secret-name=certs"}
	got := chart.change("--storage=false", "--dropped=false").replace("--v=4", "--metrics-address=0").
		without("--secret-name")
	if want := (flags{"--trusted-ca", "--storage=false", "--v=4", "--metrics-address=0"}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if chart[0] != "--storage=true" {
		t.Errorf("the chart's own flags are now %q", chart)
	}
}
