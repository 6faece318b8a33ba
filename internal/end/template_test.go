package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// serverTemplate is a template of a gateway server whose Service has these extra fields.
func serverTemplate(fields map[string]any) *networkingv1beta1.WgGatewayServerTemplate {
	template := clustertest.ServerTemplate()
	template.Spec.Template.Object = map[string]any{"spec": map[string]any{"service": map[string]any{
		"spec": map[string]any{"type": "{{ .Spec.Endpoint.ServiceType }}", "ports": []any{fields}},
	}}}
	return template
}

func TestTheErrorNamesATemplateThatCannotBeUsed(t *testing.T) {
	large := &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "custom", Name: "large"}}
	ends := map[liqo.GatewayRole]*End{liqo.ServerRole: milansEnd(t, large), liqo.ClientRole: romesEnd(t)}
	for name, test := range map[string]struct {
		template liqo.Template
		summary  string // of the problem; empty for none
		detail   string
		atServer bool // too
	}{
		"Liqo's own": {},
		"another": {
			liqo.Template{Name: "large", Namespace: "custom", Resource: liqo.DefaultServerTemplateResource},
			"the template does not exist", "There is no WgGatewayServerTemplate custom/large.", false,
		},
		"in another namespace": {
			liqo.Template{Name: "large", Resource: liqo.DefaultServerTemplateResource},
			"the template does not exist", "There is no WgGatewayServerTemplate liqo/large.", true,
		},
		"of a type that is not there": {
			liqo.Template{Resource: "example.com/v1/nothings"}, "there are no templates of type example.com/v1/nothings",
			"The API server does not know this resource. Check its spelling, " +
				"or install the gateway technology that provides it.", true,
		},
		"of no type": {
			liqo.Template{Resource: "nothings"}, "not a resource: nothings", "It must be group/version/resource.", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for role, e := range ends {
				err := e.CheckAgain(t.Context(), following(liqo.GatewaySettings{Role: role, Template: test.template}))
				if test.summary == "" || role == liqo.ServerRole && !test.atServer {
					must(t, err)
					continue
				}
				says(t, err, test.summary+` on leaf "`+e.Leaf.Name+`"`, test.detail+" Nothing was changed.")
				if !explain.Refused(err) {
					t.Errorf("on %s: got %v", e.Leaf.Name, err)
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
	own := liqo.DefaultTemplate(liqo.ServerRole, "liqo")
	large := liqo.Template{Name: "large", Namespace: "custom", Resource: own.Resource}
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
			got := (liqo.GatewaySettings{Template: test.set}).Observed(found, nil, "liqo")
			if got.Template != test.expected {
				t.Errorf("%+v", got.Template)
			}
		})
	}
}
