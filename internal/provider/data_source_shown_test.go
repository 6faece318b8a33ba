package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

var fiveMS = &liqo.Latency{Value: 5 * time.Millisecond, MeasuredAt: time.Date(2026, 11, 21, 3, 4, 5, 0, time.UTC)}

// shows compares attributes with their expected values, as text.
func shows(t *testing.T, values map[string][2]any) {
	t.Helper()
	for attribute, value := range values {
		if got, expected := fmt.Sprint(value[0]), fmt.Sprint(value[1]); got != expected {
			t.Errorf("%s is %s, expected %s", attribute, got, expected)
		}
	}
}

func TestANetworkIsShownWithTheGatewayPodsOfItsEnds(t *testing.T) {
	var model shortcutDataModel
	model.show(t.Context(), shortcut.Inspection{
		MadeBy: shortcut.ByPeering,
		ClientEnd: shortcut.EndStatus{Status: shortcut.Connected, Latency: fiveMS, GatewayPods: []liqo.GatewayPod{
			{Name: "gw-0", Namespace: "of-rome", Node: "node-1", Active: true, Ready: true, ActiveSince: time.Unix(0, 0)},
			{Name: "gw-1", Namespace: "of-rome"},
		}},
		ServerEnd: shortcut.EndStatus{Status: shortcut.Error},
	})
	first, second := model.ClientEnd.GatewayPods[0], model.ClientEnd.GatewayPods[1]
	shows(t, map[string][2]any{
		"made_by":                        {model.MadeBy, `"peering"`},
		"client_end.status":              {model.ClientEnd.Status, `"Connected"`},
		"client_end.latency_ms":          {model.ClientEnd.LatencyMS.ValueFloat64(), 5},
		"client_end.latency_measured_at": {model.ClientEnd.LatencyMeasuredAt, `"2026-11-21T03:04:05Z"`},
		"server_end.status":              {model.ServerEnd.Status, `"Error"`},
		"server_end.latency_ms":          {model.ServerEnd.LatencyMS, "<null>"},
		"the first pod":                  {first, `{"gw-0" "of-rome" "node-1" true "1970-01-01T00:00:00Z" true}`},
		"the second pod":                 {second, `{"gw-1" "of-rome" <null> false <null> false}`},
	})
}

func TestANetworkIsListedWithItsOwners(t *testing.T) {
	var model shortcutsDataModel
	model.show(t.Context(), shortcut.Survey{Links: []shortcut.Link{{
		Client: shortcut.Cluster{ID: "r"}, Server: shortcut.Cluster{ID: "m"},
		MadeBy: shortcut.ByProvider, MTU: 1400, Latency: fiveMS,
		Owners: []shortcut.Ownership{{
			Token: "mine", Objects: []string{"PublicKey a/b"}, Complete: true, Origin: owner.Origin{
				CreatedBy: "alice@ci", CreatedAt: time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC),
				Directory: "network", Workspace: "prod",
			},
		}, {Token: "theirs", Resource: owner.PublicKeyResource}},
	}}})
	link := model.Shortcuts[0]
	shows(t, map[string][2]any{
		"client_cluster_id":   {link.ClientClusterID, `"r"`},
		"server_cluster_id":   {link.ServerClusterID, `"m"`},
		"mtu":                 {link.MTU, 1400},
		"latency_measured_at": {link.LatencyMeasuredAt, `"2026-11-21T03:04:05Z"`},
		"owners": {
			link.Owners, `[{"mine" "liqo_shortcut" ["PublicKey a/b"] "alice@ci" "2026-11-20T01:02:03Z" "network" "prod" true} ` +
				`{"theirs" "liqo_public_key" [] <null> <null> <null> <null> false}]`,
		},
	})
}

func TestAClusterWhoseRangesCannotBeReadIsAnError(t *testing.T) {
	if err := new(clusterDataModel).facts(t.Context(), clustertest.Leaf(t, "rome")); err == nil {
		t.Error("no error for a leaf whose ranges cannot be read")
	}
}
