package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// serverTemplate is a template of a gateway server whose Service has these extra fields.
func serverTemplate(fields map[string]any) *networkingv1beta1.WgGatewayServerTemplate {
	service := map[string]any{"spec": map[string]any{"type": "{{ .Spec.Endpoint.ServiceType }}",
		"ports": []any{fields}}}
	template := &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo",
		Name: liqo.DefaultServerTemplateName}}
	template.Spec.Template.Object = map[string]any{"spec": map[string]any{"service": service}}
	return template
}

func TestTheErrorNamesATemplateThatCannotBeUsed(t *testing.T) {
	in := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	client := romesEnd(t, &networkingv1beta1.WgGatewayClientTemplate{
		ObjectMeta: in("liqo", liqo.DefaultClientTemplateName),
	})
	server := milansEnd(t, &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: in("liqo",
		liqo.DefaultServerTemplateName)},
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: in("custom", "large")})
	for name, test := range map[string]struct {
		template         liqo.Template
		ofServer         string // summary of the problem; empty for none
		ofClient, detail string
	}{
		"Liqo's own": {liqo.Template{}, "", "", ""},
		"another": {
			liqo.Template{Name: "large", Namespace: "custom", Resource: liqo.DefaultServerTemplateResource}, "",
			"the template does not exist",
			"There is no WgGatewayServerTemplate custom/large.",
		},
		"in another namespace": {
			liqo.Template{Name: "large", Resource: liqo.DefaultServerTemplateResource}, "the template does not exist",
			"the template does not exist",
			"There is no WgGatewayServerTemplate liqo/large.",
		},
		"of a type that is not there": {
			liqo.Template{Resource: "example.com/v1/nothings"}, "there are no templates of type example.com/v1/nothings",
			"there are no templates of type example.com/v1/nothings",
			"The API server does not know this resource. Check its spelling, " +
				"or install the gateway technology that provides it.",
		},
		"of no type": {liqo.Template{Resource: "nothings"}, "not a resource: nothings", "not a resource: nothings",
			"It must be group/version/resource."},
	} {
		t.Run(name, func(t *testing.T) {
			ofServer := server.CheckAgain(t.Context(),
				following(liqo.GatewaySettings{Role: liqo.ServerRole, Template: test.template}))
			ofClient := client.CheckAgain(t.Context(),
				following(liqo.GatewaySettings{Role: liqo.ClientRole, Template: test.template}))
			for leaf, end := range map[string]struct {
				err     error
				summary string
			}{
				"milan": {ofServer, test.ofServer}, "rome": {ofClient, test.ofClient},
			} {
				if end.summary == "" && end.err == nil {
					continue
				}
				if end.err == nil || explain.Summary(end.err) != end.summary+` on leaf "`+leaf+`"` ||
					explain.Detail(end.err) != test.detail+" Nothing was changed." || !explain.Refused(end.err) {
					t.Errorf("on %s: got %v", leaf, end.err)
				}
			}
		})
	}
}

func TestAPlanFindsASettingThatTheTemplateIgnores(t *testing.T) {
	port, balanced := overNodePort(), overNodePort()
	port.NodePort, balanced.LoadBalancerIP = 30100, "192.0.2.1"
	const usesPort, usesAddress = "{{ .Spec.Endpoint.NodePort }}", "{{with .Spec.Endpoint}}{{.LoadBalancerIP}}{{end}}"
	for name, test := range map[string]struct {
		settings liqo.GatewaySettings
		fields   map[string]any // of the Service in the template
		ignored  Setting        // or empty
	}{
		"nothing set":                  {overNodePort(), map[string]any{"protocol": "UDP"}, ""},
		"a port that is used":          {port, map[string]any{"?nodePort": usesPort}, ""},
		"a port of the template's own": {port, map[string]any{"nodePort": int64(30100)}, "node_port"},
		"no template at all":           {port, map[string]any{"targetPort": ".NodePort"}, "node_port"},
		"an address that is used":      {balanced, map[string]any{"loadBalancerIP": usesAddress}, ""},
		"an address that is not":       {balanced, map[string]any{"?nodePort": usesPort}, "load_balancer_ip"},
	} {
		t.Run(name, func(t *testing.T) {
			intent := following(test.settings)
			intent.NewGateway = true
			var found Setting
			for _, finding := range milansEnd(t, serverTemplate(test.fields)).askAll(t.Context(), lasting, intent) {
				found = finding.About
			}
			if found != test.ignored {
				t.Errorf("it finds %q", found)
			}
		})
	}
}

func TestATemplateIsObservedInTermsOfItsSettings(t *testing.T) {
	own, large := liqo.DefaultTemplate(liqo.ServerRole, "liqo"), liqo.Template{Name: "large", Namespace: "custom",
		Resource: liqo.DefaultServerTemplateResource}
	byName := own
	byName.Namespace = ""
	for name, test := range map[string]struct{ set, found, expected liqo.Template }{
		"nothing set, Liqo's own found":        {liqo.Template{}, own, liqo.Template{}},
		"nothing set, another found":           {liqo.Template{}, large, large},
		"Liqo's own by its name":               {byName, own, byName},
		"Liqo's own by its name and place":     {own, own, own},
		"another set, Liqo's own found":        {large, own, own},
		"another set in Liqo's, another found": {byName, large, large},
	} {
		t.Run(name, func(t *testing.T) {
			found := liqo.GatewaySettings{Role: liqo.ServerRole, Template: test.found}
			if got := (liqo.GatewaySettings{Template: test.set}).Observed(found, nil,
				"liqo").Template; got != test.expected {
				t.Errorf("%+v", got)
			}
		})
	}
}
