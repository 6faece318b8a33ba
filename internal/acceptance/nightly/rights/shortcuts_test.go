package rights

import (
	"slices"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// The role to plan has some of these rights, too, and its test takes them away.
func TestAccNothingInTheExampleOfARoleForShortcutsIsSuperfluous(t *testing.T) {
	onEachStage(t, func(s *stage) {
		inTenantNamespaces := func(spec *shortcut.Spec) { spec.ClientEnd.Namespace, spec.ServerEnd.Namespace = "", "" }
		withOtherMTU := func(spec *shortcut.Spec) { spec.MTU = 1400 }
		withOtherKeys := func(spec *shortcut.Spec) { spec.KeyRotation = "other" }
		withRefusedPort := func(spec *shortcut.Spec) { spec.Server.NodePort = 1 } // for a Service
		withSecret := func(spec *shortcut.Spec) {
			spec.ServerEnd.Namespace, spec.Server.KeySecret = metav1.NamespaceDefault, "gw-rome"
		}
		leased := func(renewed time.Time) func() { // by someone else
			return func() {
				s.remove()
				s.lab.Have(s.t, "milan", acctest.Named(&coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
					HolderIdentity: new("someone"), RenewTime: &metav1.MicroTime{Time: renewed},
				}}, "liqo", "terraform-provider-liqo.milan.rome"))
			}
		}
		withoutLiqo := func(leaf string) func() {
			return func() {
				s.has()()
				s.lab.Set(s.t, leaf, "liqo=stopped")
			}
		}
		held := func(kind client.ObjectList) func() {
			return func() {
				s.has()()
				s.t.Cleanup(s.remove) // after they are released
				s.hold("rome", ownNamespace, kind)
				s.hold("milan", ownNamespace, kind)
			}
		}
		anew := func() { s.remove(); s.has(inTenantNamespaces)() }
		uses := []use{
			{name: "a refresh after a destroy", prepare: s.remove, do: observes,
				rights: []string{"list foreignclusters.core.liqo.io"}},
			{name: "a destroy of nothing", prepare: s.remove, do: disconnects,
				rights: of([]string{
					"wggatewayservers.networking.liqo.io", "wggatewayclients.networking.liqo.io", "tenants.authentication.liqo.io",
					"identities.authentication.liqo.io", "resourceslices.authentication.liqo.io",
				}, "list")},
			{name: "a create", prepare: s.remove, do: connects(),
				rights: append(of(written, "create", "patch"),
					"get namespaces", "get secrets", "create leases.coordination.k8s.io in liqo")},
			{name: "a create with another apply under way", prepare: leased(time.Now()), do: connects(),
				rights: []string{"watch leases.coordination.k8s.io in liqo"}},
			{name: "a create after another one was killed", prepare: leased(time.Now().Add(-time.Hour)), do: connects(),
				rights: []string{"update leases.coordination.k8s.io in liqo"}},
			{name: "an update", prepare: s.has(), do: connects(withOtherMTU),
				rights: append(of(templates, "get"), "delete connections.networking.liqo.io")},
			{name: "an update that renews no routes", prepare: s.has(), do: connects(withOtherMTU), succeeds: true,
				rights: []string{
					"patch routeconfigurations.networking.liqo.io",
					"get internalfabrics.networking.liqo.io", "watch internalfabrics.networking.liqo.io",
				}},
			{name: "an update while Liqo is slow on the server", prepare: withoutLiqo("milan"), do: connects(withOtherMTU),
				rights: []string{"watch wggatewayservers.networking.liqo.io"}},
			{name: "an update while Liqo is slow on the client", prepare: withoutLiqo("rome"), do: connects(withOtherMTU),
				rights: []string{"watch wggatewayclients.networking.liqo.io"}},
			{name: "a rotation of the keys", prepare: s.has(), do: connects(withOtherKeys), rights: []string{"delete pods"}},
			{name: "an explanation why there is no address", prepare: s.withoutLoadBalancer, limit: impatient,
				do: connects(withLoadBalancer), rights: []string{"list events"}},
			{name: "an explanation why there is no Service", prepare: s.remove, limit: impatient,
				do: connects(withRefusedPort), rights: []string{"create services"}},
			{name: "an explanation why the Service does not change", prepare: s.has(), limit: impatient,
				do: connects(withRefusedPort), rights: []string{"patch services"}},
			{name: "a create of tenant namespaces", prepare: s.remove, do: connects(inTenantNamespaces),
				rights: []string{"create namespaces"}},
			{name: "a create in tenant namespaces that a shortcut has left", do: connects(inTenantNamespaces),
				prepare: func() {
					anew()
					acctest.Must(s.t, s.administrator.Disconnect(s.t.Context(), shortcut.Removal{KeepConfigurations: true}))
				}, rights: []string{"patch namespaces"}},
			{name: "a destroy of tenant namespaces", prepare: anew, do: disconnects, rights: []string{"delete namespaces"}},
			{name: "a destroy while a tenant namespace stays", do: disconnects,
				prepare: func() {
					anew()
					s.lab.Have(s.t, "milan", acctest.Named(&corev1.ConfigMap{}, "liqo-tenant-rome", "held"))
					s.hold("milan", "liqo-tenant-rome", &corev1.ConfigMapList{})
				}, rights: []string{"watch namespaces"}},
			{name: "a destroy of a gateway with a Secret of the user", do: disconnects,
				prepare: func() {
					s.remove()
					s.lab.HaveKeys(s.t, "milan", "gw-rome")
					s.t.Cleanup(s.remove)
					s.has(withSecret)()
				}, rights: []string{"patch secrets"}},
			{name: "a destroy", prepare: s.has(), do: disconnects,
				rights: slices.Concat(of(written, "delete"), []string{
					"get wggatewayservers.networking.liqo.io", "get wggatewayclients.networking.liqo.io", "get deployments.apps",
					"get services", "get networks.ipam.liqo.io", "delete foreignclusters.core.liqo.io",
					"delete leases.coordination.k8s.io in liqo",
				})},
		}
		for _, object := range []struct {
			right string
			kind  client.ObjectList
			limit time.Duration
		}{
			{"watch foreignclusters.core.liqo.io", &liqov1beta1.ForeignClusterList{}, 0},
			{"watch deployments.apps", &appsv1.DeploymentList{}, 0},
			{"watch services", &corev1.ServiceList{}, 0},
			{"watch secrets", &corev1.SecretList{}, 0},
			{"watch networks.ipam.liqo.io", &ipamv1alpha1.NetworkList{}, 0},
			// To explain what holds them, a destroy that gives up looks for their owners.
			{"get gatewayservers.networking.liqo.io", &networkingv1beta1.GatewayServerList{}, impatient},
			{"get gatewayclients.networking.liqo.io", &networkingv1beta1.GatewayClientList{}, impatient},
			{"get configurations.networking.liqo.io", &networkingv1beta1.ConfigurationList{}, impatient},
		} {
			uses = append(uses, use{name: "a destroy while objects stay", prepare: held(object.kind), do: disconnects,
				limit: object.limit, rights: []string{object.right}})
		}
		s.needsEveryRight([]string{"shortcuts", "key-rotation"}, []string{"plans", "pods", "allowed-traffic"}, uses)
	})
}

func TestAccNothingInTheExamplesOfRolesForPodsAndRulesIsSuperfluous(t *testing.T) {
	firewalls := []string{"firewallconfigurations.networking.liqo.io"}
	withPods := func(spec *shortcut.Spec) {
		pods := &liqo.PodSettings{Annotations: map[string]string{"example.com/a": "b"}}
		spec.Client.Pods, spec.Server.Pods = pods, pods
	}
	allowing := func(port int32) func(*shortcut.Spec) {
		return func(spec *shortcut.Spec) {
			spec.Allow = &shortcut.Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: port}}}
		}
	}
	onEachStage(t, func(s *stage) {
		limited := s.has(allowing(5432))
		s.needsEveryRight([]string{"pods", "allowed-traffic"}, []string{"shortcuts", "key-rotation"}, []use{
			{name: "settings of the gateways' pods", prepare: s.remove, do: connects(withPods),
				rights: of(templates, "create", "patch")},
			// Without these, nobody asks whether the Deployments would be refused.
			{name: "new gateways with settings of their pods", prepare: s.remove, do: connects(withPods), succeeds: true,
				rights: []string{"create deployments.apps"}},
			{name: "other settings of the gateways' pods", prepare: s.has(), do: connects(withPods), succeeds: true,
				rights: []string{"patch deployments.apps"}},
			{name: "a destroy of gateways with settings of their pods", do: disconnects,
				prepare: func() { s.remove(); s.has(withPods)() },
				rights:  of(templates, "delete")},
			{name: "a create with rules of what may cross", prepare: s.remove, do: connects(allowing(5432)),
				rights: of(firewalls, "create", "patch")},
			{name: "a look at rules that lasts", prepare: limited,
				do: looksForLong(&networkingv1beta1.FirewallConfiguration{}), rights: of(firewalls, "watch")},
			{name: "a refresh of rules on older API servers", prepare: limited, fault: withoutStreaming, do: observes,
				rights: of(firewalls, "list")},
			{name: "a change of rules", prepare: limited, do: connects(allowing(443)),
				rights: []string{"patch firewallconfigurations/status.networking.liqo.io"}},
			{name: "a removal of all rules", prepare: limited, do: connects(), rights: of(firewalls, "delete", "get")},
		})
	})
}
