package liqo_test

import (
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestARemappingIsUnknownUntilLiqoHasDecided(t *testing.T) {
	undecided := clustertest.Remapped("milan", "10.10.0.0/16", "10.71.0.0/16")
	undecided.Status.Conditions = nil
	network := liqo.Objects{Configuration: undecided}.ObservedNetwork()
	if len(network.PodCIDRs) != 1 || network.RemappedPodCIDRs != nil || network.RemappedExternalCIDR != "" {
		t.Errorf("got %+v", network)
	}
}

func TestLiqoBefore12SaysWithALabelThatARemappingIsComplete(t *testing.T) {
	older := clustertest.Remapped("rome", "10.20.0.0/16", "10.71.0.0/16")
	older.Status.Conditions = nil
	if network := (liqo.Objects{Configuration: older}).ObservedNetwork(); network.RemappedPodCIDRs != nil {
		t.Errorf("without the label: %+v", network)
	}
	older.Labels["configuration.liqo.io/configured"] = "true"
	network := liqo.Objects{Configuration: older}.ObservedNetwork()
	if !slices.Equal(network.RemappedPodCIDRs, []string{"10.20.0.0/16"}) {
		t.Errorf("with the label: %+v", network)
	}
	updated := clustertest.Remapped("rome", "10.20.0.0/16", "10.71.0.0/16")
	updated.Labels["configuration.liqo.io/configured"] = "true"
	updated.Status.Conditions[0].Status = "False"
	if network := (liqo.Objects{Configuration: updated}).ObservedNetwork(); network.RemappedPodCIDRs != nil {
		t.Errorf("after an update to Liqo 1.2, which has not decided yet: %+v", network)
	}
}
