package cluster_test

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestWhatLiqoCanDoIsReadFromItsSchemas(t *testing.T) {
	all := cluster.Capabilities{
		ManyPodCIDRs: true, FollowsConfigurations: true, KeepsConnections: true, ServiceMetadata: true,
		DirectConnections: true,
	}
	for name, test := range map[string]struct {
		leaf *cluster.Leaf
		able cluster.Capabilities
	}{
		"Liqo 1.2": {clustertest.Leaf(t, "rome"), all},
		"Liqo 1.1": {clustertest.OlderLiqo(clustertest.Leaf(t, "milan")), cluster.Capabilities{}},
	} {
		if able, err := test.leaf.Capabilities(); err != nil || able != test.able {
			t.Errorf("%s: %+v (%v)", name, able, err)
		}
	}
}
