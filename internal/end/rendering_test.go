package end

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// asData is a template as it is read from a leaf.
func asData(t *testing.T, template client.Object) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(template)
	must(t, err)
	return &unstructured.Unstructured{Object: content}
}

// renderedWith returns the parts of a gateway over a node port with a changed spec.
func renderedWith(t *testing.T, change func(*networkingv1beta1.GatewayServerSpec)) parts {
	t.Helper()
	gateway := clustertest.GatewayServer("rome", 51840)
	if change != nil {
		change(&gateway.Spec)
	}
	milan, desired := milansEnd(t), desiredGateway{Gateway: liqo.GatewayOf(gateway)}
	source, err := milan.readSource(t.Context(), nil, desired)
	must(t, err)
	rendered, err := milan.render(t.Context(), source, nil, desired)
	must(t, err)
	return rendered
}

func TestATemplateIsRenderedAsLiqoDoesIt(t *testing.T) {
	got := renderedWith(t, func(spec *networkingv1beta1.GatewayServerSpec) {
		spec.Endpoint.NodePort = ptr.To[int32](31010)
		spec.ServiceAnnotations = map[string]string{"speed": "fast"}
		spec.ServiceLabels = map[string]string{"team": "network"}
	})
	service, port := got.Service, got.Service.Spec.Ports[0]
	if service.Spec.Type != corev1.ServiceTypeNodePort || port.Port != 51840 || port.TargetPort.IntValue() != 51840 ||
		port.NodePort != 31010 || port.Protocol != corev1.ProtocolUDP {
		t.Errorf("the Service has %+v", service.Spec)
	}
	if metadata := service.Metadata; metadata.Annotations["speed"] != "fast" ||
		metadata.Annotations["template"] != "large" || metadata.Labels["team"] != "network" {
		t.Errorf("the Service is marked %v and %v", metadata.Annotations, metadata.Labels)
	}
	args := got.Deployment.Spec.Template.Spec.Containers[0].Args
	if !slices.Equal(args, []string{"--mtu=1340", "--remote=rome", "--listen-port=51840"}) {
		t.Errorf("the arguments are %v", args)
	}
}

func TestATemplateOfTheNextLiqoIsRenderedWithoutItsTypes(t *testing.T) {
	several := map[string]any{"endpoint": map[string]any{"ports": []any{int64(51840), int64(51841)}}}
	for name, test := range map[string]struct {
		more     map[string]any // fields of the gateway that the types of this program do not have
		expected []string
	}{
		"one port": {nil, []string{"--listen-port=51840", "--enable-multipath-hash-policy=false", "NET_RAW"}},
		"several": {several, []string{
			"--listen-ports=51840,51841", "--enable-multipath-hash-policy=true", "SYS_ADMIN",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			schemas, err := liqo.SchemasOf(t.Context(), clustertest.NextLiqo(clustertest.Leaf(t, "milan")))
			must(t, err)
			spec := carry(test.more, nil, map[string]any{
				"mtu": int64(1340), "endpoint": map[string]any{"port": int64(51840), "serviceType": "NodePort"},
			})
			r := rendering{Spec: schemas.GatewayServer.Properties["spec"].TemplateData(spec)}
			got, err := r.parts(asData(t, clustertest.NextServerTemplate()))
			must(t, err)
			container := got.Deployment.Spec.Template.Spec.Containers[0]
			capability := container.SecurityContext.Capabilities.Add[1]
			if all := slices.Concat(container.Args[2:], []string{string(capability)}); !slices.Equal(all, test.expected) {
				t.Errorf("got %v", all)
			}
		})
	}
}

func TestTheSchemasOfALeafAreReadOnlyForAFieldThatNotEveryLiqoHas(t *testing.T) {
	for name, test := range map[string]struct {
		template *networkingv1beta1.WgGatewayServerTemplate
		settings liqo.GatewaySettings
		read     bool
	}{
		"the template and the settings of any Liqo": {clustertest.ServerTemplate(), overNodePort(), false},
		"a template of the next Liqo":               {clustertest.NextServerTemplate(), overNodePort(), true},
		"a setting of a newer Liqo": {
			clustertest.ServerTemplate(),
			liqo.GatewaySettings{Role: liqo.ServerRole, ServiceLabels: map[string]string{"team": "network"}}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.template)
			clustertest.WithSchemas(milan.Leaf, "no document")
			if err := milan.checkTemplate(t.Context(), following(test.settings)); (err != nil) != test.read {
				t.Error(err)
			}
		})
	}
}

func TestAChangeKeepsFieldsThatThisProgramDoesNotKnow(t *testing.T) {
	type fields = map[string]any
	live := fields{"mtu": 1340, "new": "kept", "endpoint": fields{"port": 1, "nodePort": 2, "new": "kept"}}
	before := fields{"mtu": 1340, "endpoint": fields{"port": 1, "nodePort": 2}}
	after := fields{"mtu": 1400, "endpoint": fields{"port": 3}, "secretRef": fields{}}
	expected := fields{
		"mtu": 1400, "new": "kept", "endpoint": fields{"port": 3, "new": "kept"}, "secretRef": fields{},
	}
	original := maps.Clone(live)
	if got := carry(live, before, after); !reflect.DeepEqual(got, expected) || !reflect.DeepEqual(live, original) {
		t.Errorf("got %v, and the live data is %v", got, live)
	}
}

func TestATemplateThatCanNotBeRenderedIsRefusedWithItsPlace(t *testing.T) {
	with := func(key string, value any) *networkingv1beta1.WgGatewayServerTemplate {
		template := clustertest.NextServerTemplate()
		must(t, unstructured.SetNestedField(template.Spec.Template.Object, value, "spec", "service", "spec", key))
		return template
	}
	for name, test := range map[string]struct {
		template *networkingv1beta1.WgGatewayServerTemplate
		older    bool     // the leaf has no `ports`
		expected []string // parts of the text; none if the template can be used
	}{
		"of the next Liqo":       {clustertest.NextServerTemplate(), false, nil},
		"of Liqo 1.2":            {clustertest.ServerTemplate(), false, nil},
		"of Liqo 1.2, on itself": {clustertest.ServerTemplate(), true, nil},
		"of the next Liqo, on 1.2": {clustertest.NextServerTemplate(), true, []string{
			"at `spec.template.spec.deployment.spec.template.spec.containers[0].args[2]`", "can't evaluate field Ports. ",
			"`helm upgrade` does not update definitions",
		}},
		"an unknown marker": {with("+ports", "{{ range .Spec.Endpoint.Ports }}{{ end }}"), false, []string{
			"at `spec.template.spec.service.spec.+ports`, the key begins with `+`", "knows only the marker `?`",
			"Use a newer version of the provider, or set `template`",
		}},
		"a marker before an object": {with("?ports", []any{}), false, []string{"spec.?ports`, the marker `?` is before"}},
		"an unknown function": {
			with("type", `{{ join "," .Spec.Endpoint.Ports }}`), false, []string{`function "join" not defined`},
		},
		"no value":     {with("type", nil), false, []string{"spec.type`, there is no value"}},
		"a wrong type": {with("ports", "none"), false, []string{"a value is of the wrong type"}},
		"a long and hostile text": {with("type", "\x1b[2J{{ .No }}"+strings.Repeat("x", 5000)), false, []string{
			`\x1b[2J{{ .No }}`, "more bytes",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.template)
			if !test.older {
				clustertest.NextLiqo(milan.Leaf)
			}
			err := milan.CheckAgain(t.Context(), following(overNodePort()))
			if test.expected == nil {
				must(t, err)
				return
			}
			says(t, err, `the template can't be rendered on leaf "milan"`,
				append(test.expected, "WgGatewayServerTemplate liqo/wireguard-server", "Nothing was changed.")...)
		})
	}
}

func TestTheTemplateOfAClientIsCheckedBeforeThereIsAServer(t *testing.T) {
	next := romesEnd(t, clustertest.NextClientTemplate())
	clustertest.NextLiqo(next.Leaf)
	for name, test := range map[string]struct {
		rome    *End
		refused bool
	}{
		"Liqo 1.2":                   {romesEnd(t), false},
		"the next Liqo":              {next, false},
		"a template of another Liqo": {romesEnd(t, clustertest.NextClientTemplate()), true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.rome.checkTemplate(t.Context(), following(dialling("", 0))); (err != nil) != test.refused {
				t.Error(err)
			}
		})
	}
}
