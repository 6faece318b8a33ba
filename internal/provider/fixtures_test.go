package provider

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
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

// markedFor returns an object that belongs to the resource with this token.
func markedFor[T object](token string, marked T) T {
	owner.Owner{Token: token}.Mark(marked)
	return marked
}

// withClusters returns the leaves of a provider block with these clusters, and with a kubeconfig that has the contexts
// rome and milan.
func withClusters(t *testing.T, clusters map[string]access.Credentials, unknown unknownNames) *leaves {
	t.Helper()
	registry := cluster.NewRegistry(cluster.Config{
		Clusters: clusters,
		Kubeconfig: access.Kubeconfig{
			Content: `{"contexts": [{"name": "rome", "context": {}}, {"name": "milan", "context": {}}]}`,
		},
	})
	t.Cleanup(registry.Close)
	return &leaves{registry: registry, unknown: unknown}
}

// nowhere has credentials that cannot be used.
var nowhere = access.Credentials{Kubeconfig: access.Kubeconfig{Paths: []string{"/nowhere"}}}

// unanswered is the error if milan does not answer. refused is the error if a leaf refuses the credentials.
func unanswered() error {
	return cluster.Absent("milan", "").Explain(
		&url.Error{Op: "Get", URL: "https://milan.example", Err: syscall.ECONNREFUSED},
	)
}

func refused(name string) error {
	return cluster.Found(trouble.Problem{
		ID: "credentials-refused", Leaf: name, Summary: "the API server refuses the credentials",
		Err: errors.New("Unauthorized"),
	})
}

// settled returns the model of a shortcut with default settings, which leave the endpoint to the server.
func settled(t *testing.T) shortcutModel {
	t.Helper()
	return shortcutModel{
		Client: types.StringValue("rome"), Server: types.StringValue("milan"),
		tunnelModel:   tunnelModel{MTU: types.Int32Value(1340)},
		ServerGateway: defaultServerGateway(t.Context()), ClientGateway: types.ObjectNull(clientGatewayTypes),
		Allow: types.SetNull(ruleType),
	}
}

// working returns what the leaves show of this shortcut.
func working() shortcut.State {
	tunnel := liqo.TunnelSettings{MTU: 1340}
	return shortcut.State{
		Exists: true, Status: shortcut.Connected,
		Client: shortcut.EndState{ClusterID: "rome", LiqoNamespace: "liqo", Namespace: "liqo-tenant-milan"},
		Server: shortcut.EndState{ClusterID: "milan", LiqoNamespace: "liqo", Namespace: "liqo-tenant-rome"},
		ServerGateway: &liqo.GatewaySettings{
			Role: liqo.ServerRole, TunnelSettings: tunnel, ServiceType: "LoadBalancer", Port: 51840,
			Template: liqo.DefaultTemplate(liqo.ServerRole, "liqo"),
		},
		ServerEndpoint: &liqo.Endpoint{Addresses: []string{"172.18.0.9"}, Port: 51840, Protocol: "UDP"},
		ClientGateway: &liqo.GatewaySettings{
			Role: liqo.ClientRole, TunnelSettings: tunnel, ServerAddress: "172.18.0.9", ServerPort: 51840,
			Template: liqo.DefaultTemplate(liqo.ClientRole, "liqo"),
		},
	}
}

// recorded returns the state of this shortcut with a status.
func recorded(t *testing.T, status shortcut.Status) shortcutModel {
	t.Helper()
	model, found := settled(t), working()
	found.Status = status
	operations := types.ObjectNull(map[string]attr.Type{
		"create": types.StringType, "read": types.StringType, "update": types.StringType, "delete": types.StringType,
	})
	model.Timeouts = timeouts.Value{Object: operations}
	model.WaitForConnection, model.CIDRRemapping = types.BoolValue(true), types.StringValue(remappingAllowed)
	model.OnDestroy = types.StringValue(destroyResets)
	model.AbandonLostCluster, model.DestroyPeering = types.BoolValue(false), types.BoolValue(false)
	model.observed(t.Context(), found)
	return model
}

// joining returns a recorded shortcut of the clusters rome and milan, whose server has this name.
func joining(server string) *shortcutModel {
	return &shortcutModel{
		Client: types.StringValue("rome"), Server: types.StringValue(server),
		ClientClusterID: types.StringValue("rome"), ServerClusterID: types.StringValue("milan"),
	}
}

// planningOf returns the plan of a shortcut. Without a state, the shortcut is new.
func planningOf(plan, config shortcutModel, state *shortcutModel, joined pair) *planning {
	return &planning{
		proposal: &proposal[*shortcutModel]{plan: &plan, config: &config, state: state}, leaves: &leaves{}, pair: joined,
	}
}

// serverGatewayWith returns the default server_gateway with some other values.
func serverGatewayWith(t *testing.T, values map[string]attr.Value) types.Object {
	t.Helper()
	all := defaultServerGateway(t.Context()).Attributes() // a copy
	maps.Copy(all, values)
	return types.ObjectValueMust(serverGatewayTypes, all)
}

func podsOf(t *testing.T, settings *liqo.PodSettings) types.Object {
	t.Helper()
	return objectOf(t.Context(), podsTypes, settings)
}

// twoReplicas returns settings of pods.
func twoReplicas(t *testing.T) types.Object {
	t.Helper()
	return podsOf(t, &liqo.PodSettings{Replicas: 2})
}

// fast are labels or annotations.
var fast = types.MapValueMust(types.StringType, map[string]attr.Value{"speed": types.StringValue("fast")})

// kept implements the private state.
type kept map[string]string

func (k kept) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return []byte(k[key]), nil
}

func (k kept) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	k[key] = string(value)
	return nil
}

// summaries returns the summaries of diagnostics as one text.
func summaries(diags diag.Diagnostics) string {
	all := make([]string, len(diags))
	for i, one := range diags {
		all[i] = one.Summary()
	}
	return strings.Join(all, "; ")
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
