package provider

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
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
	if got := milliseconds(latency).ValueFloat64(); got != 0.85 {
		t.Errorf("got %v ms", got)
	}
	if got := measuredAt(latency).ValueString(); got != "2026-11-21T03:04:05Z" {
		t.Errorf("got %s", got)
	}
	if !measuredAt(&liqo.Latency{Value: time.Second}).IsNull() {
		t.Error("an unknown time is not null")
	}
}
