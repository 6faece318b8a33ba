package liqo_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"text/template"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// rendered executes a template with a value of a schema.
func rendered(t *testing.T, schema liqo.Schema, value map[string]any, text string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := template.Must(template.New("").Parse(text)).Execute(&out, schema.TemplateData(value))
	return out.String(), err
}

func TestATemplateSeesTheFieldsThatTheSchemaHas(t *testing.T) {
	schemas, err := liqo.SchemasOf(t.Context(), clustertest.NextLiqo(clustertest.Leaf(t, "milan")))
	if err != nil {
		t.Fatal(err)
	}
	spec := schemas.GatewayServer.Properties["spec"]
	set := map[string]any{
		"mtu": int64(1340), "endpoint": map[string]any{"ports": []any{int64(51840), int64(51841)}},
		"serviceLabels": map[string]any{"team": "network"},
	}
	for text, expected := range map[string]string{
		`{{ .MTU }} {{ eq .MTU 1340 }}`:                      "1340 true",
		`{{ len .Endpoint.Ports }}`:                          "2",
		`{{ range .Endpoint.Ports }}{{ . }},{{ end }}`:       "51840,51841,",
		`{{ len .Endpoint.NodePorts }}`:                      "0",
		`{{ if .Endpoint.LoadBalancerIP }}balanced{{ end }}`: "",
		`{{ .Endpoint.Port }}`:                               "0",
		`{{ .SecretRef.Name }}`:                              "",
		`{{ .ServiceLabels.team }}`:                          "network",
		`{{ index .ServiceAnnotations "example.com/a" }}`:    "<no value>",
		`{{ with .Endpoint }}{{ .ServiceType }}{{ end }}`:    "",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := rendered(t, spec, set, text); err != nil || got != expected {
				t.Errorf("got %q (%v)", got, err)
			}
		})
	}
	for _, text := range []string{`{{ .Endpoint.Tunnels }}`, `{{ if .Paths }}{{ end }}`, `{{ .Endpoint.ports }}`} {
		if got, err := rendered(t, spec, set, text); err == nil {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

func TestASchemaMayHaveAnyNames(t *testing.T) {
	odd := liqo.Schema{Type: "object", Properties: map[string]liqo.Schema{
		"": {}, "_": {}, "x-y": {}, "1st": {}, "éa": {}, "URL": {}, "Port": {}, "port": {}, "a\xff": {},
	}}
	if got, err := rendered(t, odd, map[string]any{"URL": "here"}, `{{ .URL }}`); err != nil || got != "here" {
		t.Errorf("got %q (%v)", got, err)
	}
}

func TestTheCommonSchemasHaveWhatGatewaysOfAnyLiqoHave(t *testing.T) {
	common := liqo.CommonSchemas()
	oldest, err := liqo.SchemasOf(t.Context(), clustertest.OlderLiqo(clustertest.Leaf(t, "milan")))
	if err != nil {
		t.Fatal(err)
	}
	for kind, schemas := range map[string][2]liqo.Schema{
		"GatewayServer": {common.GatewayServer, oldest.GatewayServer},
		"GatewayClient": {common.GatewayClient, oldest.GatewayClient},
	} {
		t.Run(kind, func(t *testing.T) {
			zero, text := map[string]any{}, `{{ .Spec.MTU }} {{ .Spec.Endpoint.Port }} {{ .Spec.SecretRef.Name }}`
			got, err := rendered(t, schemas[0], zero, text)
			expected, errOldest := rendered(t, schemas[1], zero, text)
			if err != nil || errOldest != nil || got != expected {
				t.Errorf("got %q (%v), and from the leaf %q (%v)", got, err, expected, errOldest)
			}
		})
	}
	for value, covered := range map[string]bool{
		`{"spec": {"mtu": 1340, "endpoint": {"port": 51840, "nodePort": 30000}}}`: true,
		`{"spec": {"endpoint": {"ports": [51840]}}}`:                              false,
		`{"spec": {"serviceLabels": {"team": "network"}}}`:                        false,
	} {
		t.Run(value, func(t *testing.T) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(value), &fields); err != nil {
				t.Fatal(err)
			}
			if common.GatewayServer.Covers(fields) != covered {
				t.Errorf("covered: %v: %s", !covered, value)
			}
		})
	}
}
