package provider

import (
	"errors"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// object is any object on a leaf.
type object interface {
	metav1.Object
	runtime.Object
}

// leafWith returns a leaf with Liqo's own templates and these objects.
func leafWith(t *testing.T, name string, objects ...object) *cluster.Leaf {
	t.Helper()
	leaf := clustertest.Leaf(t, name, clustertest.Templates()...)
	for _, object := range objects {
		must(t, leaf.Clients().Live.Create(t.Context(), object))
	}
	return leaf
}

// toBeMade returns the plan of a new shortcut between rome and milan with default settings. Nothing else is known of
// it. Rome has these objects.
func toBeMade(t *testing.T, objects ...object) *planning {
	t.Helper()
	plan := recorded(t, shortcut.Connected)
	plan.ClientNamespace, plan.ServerNamespace = types.StringUnknown(), types.StringUnknown()
	nothing := shortcutModel{ClientNetwork: types.ObjectNull(networkTypes), ServerNetwork: types.ObjectNull(networkTypes)}
	leaves := pair{client: leafWith(t, "rome", objects...), server: leafWith(t, "milan")}
	p := planningOf(plan, nothing, nil, leaves)
	p.own = ownership{Token: "mine"}
	return p
}

// at returns the attributes of the diagnostics with this severity.
func at(diags diag.Diagnostics, severity diag.Severity) []string {
	var attributes []string
	for _, one := range diags {
		if withPath, ok := one.(diag.DiagnosticWithPath); ok && one.Severity() == severity {
			attributes = append(attributes, withPath.Path().String())
		}
	}
	return attributes
}

func gatewayWith(t *testing.T, attribute string, value attr.Value) types.Object {
	t.Helper()
	attributes := defaultServerGateway(t.Context()).Attributes()
	attributes[attribute] = value
	return types.ObjectValueMust(serverGatewayTypes, attributes)
}

func TestAPlanReportsProblemsAtTheirAttribute(t *testing.T) {
	taken := func() object { return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-milan"}} }
	for name, test := range map[string]struct {
		onRome   []object
		change   func(*planning)
		expected []string
	}{
		"nothing":              {nil, func(*planning) {}, nil},
		"an unknown namespace": {nil, func(p *planning) { p.config.ServerNamespace = types.StringUnknown() }, nil},
		"annotations that Liqo can't set": {
			nil, func(p *planning) {
				clustertest.OlderLiqo(p.pair.server)
				p.plan.ServerGateway = gatewayWith(t, "service_annotations", textsByName(map[string]string{"speed": "fast"}))
			},
			[]string{"server_gateway.service_annotations"},
		},
		"labels that Liqo can't set": {
			nil, func(p *planning) {
				clustertest.OlderLiqo(p.pair.server)
				p.plan.ServerGateway = gatewayWith(t, "service_labels", textsByName(map[string]string{"team": "network"}))
			},
			[]string{"server_gateway.service_labels"},
		},
		"keys that a destroy would remove": {
			nil, func(p *planning) { p.plan.ServerGateway = gatewayWith(t, "key_secret_name", types.StringValue("keys")) },
			[]string{"server_gateway.key_secret_name"},
		},
		"a gateway that is not fully known": {
			[]object{taken()}, func(p *planning) { p.plan.ClientGateway = types.ObjectUnknown(clientGatewayTypes) },
			[]string{"client_namespace"},
		},
		"keys in an unknown namespace": {nil, func(p *planning) {
			p.plan.ServerGateway = gatewayWith(t, "key_secret_name", types.StringValue("keys"))
			p.config.ServerNamespace = types.StringUnknown()
		}, nil},
		"two problems": {
			[]object{clustertest.Configuration("milan"), taken()}, func(*planning) {},
			[]string{"server", "client_namespace"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := toBeMade(t, test.onRome...)
			test.change(p)
			if diags := checkFeasible(t.Context(), p); !slices.Equal(at(diags, diag.SeverityError), test.expected) {
				t.Error(diags)
			}
		})
	}
}

// liqoOf returns the Deployment of Liqo's controllers in this version.
func liqoOf(version string) object {
	labels := map[string]string{
		"app.kubernetes.io/name": "controller-manager", "app.kubernetes.io/component": "controller-manager",
	}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "liqo-controller-manager", Labels: labels},
	}
	deployment.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "controller-manager", Image: "ghcr.io/liqotech/liqo-controller-manager:" + version},
	}
	return deployment
}

func TestAVersionOfLiqoThatIsTooOldOrHasADefectIsReportedAtItsLeaf(t *testing.T) {
	for version, severity := range map[string]diag.Severity{
		"v0.9.0": diag.SeverityError, "v1.0.0": diag.SeverityWarning,
	} {
		t.Run(version, func(t *testing.T) {
			for expected, leaves := range map[string]pair{
				"client": {client: leafWith(t, "rome", liqoOf(version)), server: leafWith(t, "milan")},
				"server": {client: leafWith(t, "rome"), server: leafWith(t, "milan", liqoOf(version))},
			} {
				p := toBeMade(t)
				p.pair = leaves
				if diags := checkFeasible(t.Context(), p); !slices.Contains(at(diags, severity), expected) {
					t.Errorf("%s: %v", expected, diags)
				}
			}
		})
	}
}

func TestAnUnchangedShortcutIsNotChecked(t *testing.T) {
	p := toBeMade(t, clustertest.Configuration("milan"))
	*p.plan = recorded(t, shortcut.Disconnected)
	p.plan.ServerGateway = gatewayWith(t, "node_port", types.Int32Value(31000))
	state := *p.plan
	p.state = &state
	p.plan.Status = types.StringUnknown()
	if diags := checkFeasible(t.Context(), p); diags.HasError() {
		t.Errorf("got %v", diags)
	}
}

func TestACheckThatCannotReadTheLeafIsAWarning(t *testing.T) {
	diags := checkResult(path.Root("client_namespace"), errors.New("no answer"))
	if diags.HasError() || !slices.Equal(at(diags, diag.SeverityWarning), []string{"client_namespace"}) {
		t.Errorf("got %v", diags)
	}
}

// toBeChanged returns the plan of a shortcut that exists as its settings say. Then the templates of gateways at the
// client become those of another Liqo.
func toBeChanged(t *testing.T) *planning {
	t.Helper()
	p := toBeMade(t)
	state := recorded(t, shortcut.Connected)
	p.state = &state
	rome, milan := p.pair.client.Clients().Live, p.pair.server.Clients().Live
	server, dialling := clustertest.GatewayServer("rome", 51840), clustertest.GatewayClient("milan")
	spec := p.plan.spec(t.Context(), p.config)
	server.Spec.MTU, server.Spec.Endpoint.ServiceType = spec.MTU, spec.Server.ServiceType
	dialling.Spec.MTU = spec.MTU
	other := clustertest.NextClientTemplate()
	for _, err := range []error{
		milan.Create(t.Context(), server), rome.Create(t.Context(), dialling),
		rome.Delete(t.Context(), other), rome.Create(t.Context(), other),
	} {
		must(t, err)
	}
	return p
}

func TestAPlanFindsTheGatewayThatCanNotFollowAChangeOfTheOtherOne(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*planning)
		expected []string
	}{
		"nothing of the gateways": {func(p *planning) { p.plan.CIDRRemapping = types.StringValue(remappingForbidden) }, nil},
		"the MTU": {
			func(p *planning) { p.plan.MTU = types.Int32Value(1400) }, []string{"client_gateway.template"},
		},
		"an MTU that is not known": {
			func(p *planning) { p.plan.MTU = types.Int32Unknown() }, []string{"client_gateway.template"},
		},
		"a label of the server's Service": {
			func(p *planning) {
				p.plan.ServerGateway = gatewayWith(t, "service_labels", textsByName(map[string]string{"team": "network"}))
			},
			[]string{"client_gateway.template"},
		},
		"a repair of the server's gateway": {
			func(p *planning) { clustertest.DeleteGatewayServers(t, p.pair.server) },
			[]string{"client_gateway.template"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := toBeChanged(t)
			test.change(p)
			diags := checkFeasible(t.Context(), p)
			if got := at(diags, diag.SeverityError); !slices.Equal(got, test.expected) {
				t.Errorf("got %v", diags)
			}
		})
	}
}

func TestATunnelThatComesUpWhileNobodyWaitsIsNoWarningUnlessItWasUpBefore(t *testing.T) {
	for name, test := range map[string]struct {
		status           shortcut.Status
		awaited, silent  bool
		expectedWarnings int
	}{
		"up":                         {shortcut.Connected, true, false, 0},
		"coming up, awaited":         {shortcut.Connecting, true, false, 1},
		"coming up":                  {shortcut.Connecting, false, false, 0},
		"without reports any longer": {shortcut.Connecting, false, true, 1},
		"failed":                     {shortcut.Error, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			model := recorded(t, test.status)
			model.WaitForConnection = types.BoolValue(test.awaited)
			s := shortcut.New(leafWith(t, "rome"), leafWith(t, "milan"))
			diags := model.whyDown(t.Context(), s, shortcut.State{Exists: true, Status: test.status, Silent: test.silent})
			if len(diags) != test.expectedWarnings {
				t.Error(diags)
			}
		})
	}
}
