package liqo_test

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestWhatLiqoCanDoIsReadFromItsSchemas(t *testing.T) {
	all := liqo.Capabilities{
		ManyPodCIDRs: true, FollowsConfigurations: true, KeepsConnections: true, ServiceMetadata: true,
		DirectConnections: true, FiltersPackets: true,
	}
	for name, test := range map[string]struct {
		leaf *cluster.Leaf
		able liqo.Capabilities
	}{
		"Liqo 1.2": {clustertest.Leaf(t, "rome"), all},
		"Liqo 1.1": {clustertest.OlderLiqo(clustertest.Leaf(t, "milan")), liqo.Capabilities{FiltersPackets: true}},
		"Liqo 1.0": {clustertest.OldestLiqo(clustertest.Leaf(t, "venice")), liqo.Capabilities{}},
	} {
		t.Run(name, func(t *testing.T) {
			if able, err := liqo.CapabilitiesOf(t.Context(), test.leaf); err != nil || able != test.able {
				t.Errorf("%+v (%v)", able, err)
			}
		})
	}
}

func TestSchemasWithoutAKindOfLiqoAreAnError(t *testing.T) {
	const none = "the API server has no schema of the kind Configuration"
	for name, test := range map[string]struct{ document, expected string }{
		"another document": {`<html>sign in</html>`, none},
		"only a reference": {`{"paths": {"$ref": "#/components/schemas/io.liqo.networking.v1beta1.Configuration"}}`, none},
		"only the name":    {`{"title": "io.liqo.networking.v1beta1.Configuration"}`, none},
		"an end in the middle": {
			`{"components": {"schemas": {"io.liqo.networking.v1beta1.Configuration": {"properties": {"sta`,
			"the schema of the kind Configuration: unexpected EOF",
		},
		"one kind only": {
			`{"components": {"schemas": {"io.liqo.networking.v1beta1.Configuration": {}}}}`,
			"the API server has no schema of the kind GatewayServer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			leaf := clustertest.WithSchemas(clustertest.Leaf(t, "rome"), test.document)
			if _, err := liqo.CapabilitiesOf(t.Context(), leaf); err == nil || !strings.Contains(err.Error(), test.expected) {
				t.Error(err)
			}
		})
	}
}
