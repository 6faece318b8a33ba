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

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

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

func TestAPlanReportsProblemsAtTheirAttribute(t *testing.T) {
	server := func(p *planning, attribute string, value attr.Value) {
		p.plan.ServerGateway = serverGatewayWith(t, map[string]attr.Value{attribute: value})
	}
	onOlderLiqo := func(setting string) func(*planning) {
		return func(p *planning) {
			clustertest.OlderLiqo(p.pair.server)
			server(p, setting, fast)
		}
	}
	keys := types.StringValue("keys")
	taken := func() object { return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-milan"}} }
	for name, test := range map[string]struct {
		onRome   []object
		change   func(*planning)
		expected []string
	}{
		"nothing":              {},
		"an unknown namespace": {change: func(p *planning) { p.config.ServerNamespace = types.StringUnknown() }},
		"annotations that Liqo can't set": {
			change: onOlderLiqo("service_annotations"), expected: []string{"server_gateway.service_annotations"},
		},
		"labels that Liqo can't set": {
			change: onOlderLiqo("service_labels"), expected: []string{"server_gateway.service_labels"},
		},
		"keys that a destroy would remove": {
			change:   func(p *planning) { server(p, "key_secret_name", keys) },
			expected: []string{"server_gateway.key_secret_name"},
		},
		"keys in an unknown namespace": {change: func(p *planning) {
			server(p, "key_secret_name", keys)
			p.config.ServerNamespace = types.StringUnknown()
		}},
		"a gateway that is not fully known": {
			[]object{taken()}, func(p *planning) { p.plan.ClientGateway = types.ObjectUnknown(clientGatewayTypes) },
			[]string{"client_namespace"},
		},
		"two problems": {
			[]object{clustertest.Configuration("milan"), taken()}, nil, []string{"server", "client_namespace"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := toBeMade(t, test.onRome...)
			if test.change != nil {
				test.change(p)
			}
			if diags := checkFeasible(t.Context(), p); !slices.Equal(at(diags, diag.SeverityError), test.expected) {
				t.Error(diags)
			}
		})
	}
}

func TestAVersionOfLiqoThatIsTooOldOrHasADefectIsReportedAtItsLeaf(t *testing.T) {
	for version, severity := range map[string]diag.Severity{
		"v0.9.0": diag.SeverityError, "v1.0.0": diag.SeverityWarning,
	} {
		t.Run(version, func(t *testing.T) {
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
				Namespace: "liqo", Name: "liqo-controller-manager", Labels: map[string]string{
					"app.kubernetes.io/name": "controller-manager", "app.kubernetes.io/component": "controller-manager",
				},
			}}
			deployment.Spec.Template.Spec.Containers = []corev1.Container{
				{Name: "controller-manager", Image: "ghcr.io/liqotech/liqo-controller-manager:" + version},
			}
			diags := checkFeasible(t.Context(), toBeMade(t, deployment))
			if !slices.Contains(at(diags, severity), "client") {
				t.Errorf("got %v", diags)
			}
		})
	}
}

func TestAnUnchangedShortcutIsNotChecked(t *testing.T) {
	p := toBeMade(t, clustertest.Configuration("milan"))
	*p.plan = recorded(t, shortcut.Disconnected)
	p.plan.ServerGateway = serverGatewayWith(t, map[string]attr.Value{"node_port": types.Int32Value(31000)})
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
		change func(*planning)
		finds  bool
	}{
		"nothing of the gateways": {
			func(p *planning) { p.plan.CIDRRemapping = types.StringValue(remappingForbidden) }, false,
		},
		"the MTU":                  {func(p *planning) { p.plan.MTU = types.Int32Value(1400) }, true},
		"an MTU that is not known": {func(p *planning) { p.plan.MTU = types.Int32Unknown() }, true},
		"a label of the server's Service": {func(p *planning) {
			p.plan.ServerGateway = serverGatewayWith(t, map[string]attr.Value{"service_labels": fast})
		}, true},
		"a repair of the server's gateway": {
			func(p *planning) { clustertest.DeleteGatewayServers(t, p.pair.server) }, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := toBeChanged(t)
			test.change(p)
			diags := checkFeasible(t.Context(), p)
			if found := slices.Contains(at(diags, diag.SeverityError), "client_gateway.template"); found != test.finds ||
				!found && diags.HasError() {
				t.Errorf("got %v", diags)
			}
		})
	}
}

func TestATunnelThatComesUpWhileNobodyWaitsIsNoWarningUnlessItWasUpBefore(t *testing.T) {
	for name, test := range map[string]struct {
		status                shortcut.Status
		awaited, silent, warn bool
	}{
		"up":                         {shortcut.Connected, true, false, false},
		"coming up, awaited":         {shortcut.Connecting, true, false, true},
		"coming up":                  {shortcut.Connecting, false, false, false},
		"without reports any longer": {shortcut.Connecting, false, true, true},
		"failed":                     {shortcut.Error, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			model := recorded(t, test.status)
			model.WaitForConnection = types.BoolValue(test.awaited)
			s := shortcut.New(leafWith(t, "rome"), leafWith(t, "milan"))
			diags := model.whyDown(t.Context(), s, shortcut.State{Exists: true, Status: test.status, Silent: test.silent})
			if (len(diags) == 1) != test.warn {
				t.Error(diags)
			}
		})
	}
}
