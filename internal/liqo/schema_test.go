package liqo_test

import (
	"bytes"
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
		if got, err := rendered(t, spec, set, text); err != nil || got != expected {
			t.Errorf("%s: got %q (%v)", text, got, err)
		}
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
