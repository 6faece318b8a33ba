package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestAReadWithoutCredentialsIsDeferredIfTerraformSupportsItAndOtherwiseAnError(t *testing.T) {
	var deferred, refused datasource.ReadResponse
	postpone(
		datasource.ReadRequest{ClientCapabilities: datasource.ReadClientCapabilities{DeferralAllowed: true}}, &deferred,
		path.Root("name"),
	)
	if deferred.Deferred == nil || deferred.Deferred.Reason != datasource.DeferredReasonProviderConfigUnknown ||
		deferred.Diagnostics.HasError() {
		t.Errorf("got %+v", deferred)
	}
	postpone(datasource.ReadRequest{}, &refused, path.Root("name"))
	if refused.Deferred != nil || len(refused.Diagnostics) != 1 ||
		!strings.Contains(refused.Diagnostics[0].Detail(), "`depends_on`") {
		t.Errorf("got %+v", refused)
	}
}

func TestWithoutNamesAllClustersAreRead(t *testing.T) {
	listed, all := map[string]access.Credentials{"roma": {}}, types.ListNull(types.StringType)
	known, withoutMilano := unknownNames{}, unknownNames{names: map[string]bool{"milano": true}}
	for name, test := range map[string]struct {
		clusters map[string]access.Credentials
		unknown  unknownNames
		asked    types.List
		names    []string
		unclear  bool
	}{
		"the contexts":                  {nil, known, all, []string{"milan", "rome"}, false},
		"the clusters of the block":     {listed, known, all, []string{"roma"}, false},
		"named clusters":                {listed, known, texts("milan", "roma"), []string{"milan", "roma"}, false},
		"an unknown block":              {nil, unknownNames{all: true}, all, nil, true},
		"an unknown cluster":            {listed, withoutMilano, all, nil, true},
		"an unknown cluster, not named": {listed, withoutMilano, texts("roma"), []string{"roma"}, false},
		"an unknown cluster, also named": {
			listed, withoutMilano, texts("roma", "milano"), []string{"roma", "milano"}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			names, unclear, diags := withClusters(t, test.clusters, test.unknown).names(t.Context(), test.asked)
			if diags.HasError() || unclear != test.unclear || !slices.Equal(names, test.names) {
				t.Errorf("%q, unknown: %t (%v)", names, unclear, diags)
			}
		})
	}
}

// validatedSource returns all diagnostics of a validation of a data source, one error per line.
func validatedSource(t *testing.T, typeName string, source datasource.DataSource, config values) string {
	t.Helper()
	var schema datasource.SchemaResponse
	source.Schema(t.Context(), datasource.SchemaRequest{}, &schema)
	response, err := unconfigured().ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: typeName, Config: sent(t, config.of(typeOf(schema.Schema))),
	})
	must(t, err)
	return told(response.Diagnostics)
}

func TestAClusterWithoutANameIsRejected(t *testing.T) {
	for name, source := range map[string]datasource.DataSource{
		"liqo_shortcuts": newShortcutsDataSource(), "liqo_topology": newTopologyDataSource(),
	} {
		t.Run(name, func(t *testing.T) {
			got := validatedSource(t, name, source, values{"clusters": listOf(text("rome"), null)})
			if !strings.HasPrefix(got, "clusters: Null List Value: ") || strings.Contains(got, "\n") {
				t.Error(got)
			}
		})
	}
}

func TestALatencyIsShownInMillisecondsWithItsTime(t *testing.T) {
	latency := &liqo.Latency{Value: 850 * time.Microsecond, MeasuredAt: time.Date(2026, 11, 21, 3, 4, 5, 0, time.UTC)}
	shows(t, map[string][2]any{
		"the latency":     {milliseconds(latency), types.Float64Value(0.85)},
		"its time":        {measuredAt(latency), `"2026-11-21T03:04:05Z"`},
		"an unknown time": {measuredAt(&liqo.Latency{Value: time.Second}), "<null>"},
	})
}

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
