package liqo_test

import (
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestARemappingIsUnknownUntilLiqoHasDecidedWhichItSaysWithALabelBefore12(t *testing.T) {
	older := clustertest.Remapped("rome", "10.20.0.0/16", "10.71.0.0/16")
	older.Status.Conditions = nil
	remote := liqo.Objects{Configuration: older}.ObservedRemote()
	if len(remote.PodCIDRs) != 1 || remote.RemappedPodCIDRs != nil || remote.RemappedExternalCIDR != "" {
		t.Errorf("without the label: %+v", remote)
	}
	older.Labels["configuration.liqo.io/configured"] = "true"
	remote = liqo.Objects{Configuration: older}.ObservedRemote()
	if !slices.Equal(remote.RemappedPodCIDRs, []string{"10.20.0.0/16"}) {
		t.Errorf("with the label: %+v", remote)
	}
	updated := clustertest.Remapped("rome", "10.20.0.0/16", "10.71.0.0/16")
	updated.Labels["configuration.liqo.io/configured"] = "true"
	updated.Status.Conditions[0].Status = "False"
	if remote := (liqo.Objects{Configuration: updated}).ObservedRemote(); remote.RemappedPodCIDRs != nil {
		t.Errorf("after an update to Liqo 1.2, which has not decided yet: %+v", remote)
	}
}
