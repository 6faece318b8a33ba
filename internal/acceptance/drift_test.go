package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// damage is a change of a shortcut outside of Terraform.
type damage struct {
	name string
	do   func()
}

// repaired damages a shortcut from Rome to Milan several times. The plan after each damage is an update in place, and
// an apply repairs everything: the test framework checks that the next plan is empty.
func (l *Lab) repaired(t *testing.T, all ...damage) {
	t.Helper()
	steps := []resource.TestStep{
		{Config: l.contexts(shortcutRomeMilan), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)}},
	}
	for _, damage := range all {
		steps = append(steps, resource.TestStep{
			PreConfig:        func() { t.Log(damage.name); damage.do() },
			Config:           l.contexts(shortcutRomeMilan),
			ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), l.gatewaysHaveMTU(t, 1340), l.asLiqoSays(t, romeMilan, "rome", "milan"),
				keepsPodCIDR(romeMilan, "client_network", "10.202.0.0/16"),
				keepsPodCIDR(romeMilan, "server_network", "10.203.0.0/16"),
			},
		})
	}
	apply(t, steps...)
}

func TestAccMissingObjectsAreRepairedInPlace(t *testing.T) {
	lab := borrowLab(t)
	lab.repaired(t, lab.missingObjects(t)...)
}

// missingObjects has the loss of each object of a shortcut from Rome to Milan.
func (l *Lab) missingObjects(t *testing.T) []damage {
	t.Helper()
	without := func(name, cluster string, kind client.Object) damage {
		return damage{name, func() { l.deleteFromTenant(t, cluster, kind) }}
	}
	return []damage{
		without("the client's Configuration", "rome", &networkingv1beta1.Configuration{}),
		without("the server's Configuration", "milan", &networkingv1beta1.Configuration{}),
		without("the GatewayClient", "rome", &networkingv1beta1.GatewayClient{}),
		without("the GatewayServer", "milan", &networkingv1beta1.GatewayServer{}),
		without("the client's PublicKey", "rome", &networkingv1beta1.PublicKey{}),
		without("the server's PublicKey", "milan", &networkingv1beta1.PublicKey{}),
		without("the client's Connection", "rome", &networkingv1beta1.Connection{}),
		without("the server's Connection", "milan", &networkingv1beta1.Connection{}),
		// While the tunnel is up, no gateway needs the keys. A lost key is provided to the other leaf again.
		{"the client's keys", func() {
			l.deleteFromTenant(t, "rome", &corev1.Secret{})
			l.deleteFromTenant(t, "milan", &networkingv1beta1.PublicKey{})
		}},
		{"the server's keys", func() {
			l.deleteFromTenant(t, "milan", &corev1.Secret{})
			l.deleteFromTenant(t, "rome", &networkingv1beta1.PublicKey{})
		}},
		{"the Service", func() {
			l.deleteFromTenant(t, "milan", &corev1.Service{})
			// Liqo 1.2.0 does not create it again. This shows as soon as the gateways miss the pings of each other.
			await(t, l, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", failed)
			await(t, l, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", failed)
		}},
	}
}

func failed(connection *networkingv1beta1.Connection) bool {
	return connection.Status.Value == networkingv1beta1.ConnectionError
}

func TestAccChangesOutsideOfTerraformAreCorrected(t *testing.T) {
	lab := borrowLab(t)
	edited := func(name, cluster string, kind client.Object, patch string) damage {
		return damage{name, func() { lab.patchInTenant(t, cluster, kind, patch) }}
	}
	lab.repaired(t,
		edited("the client's MTU", "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`),
		edited("the server's MTU", "milan", &networkingv1beta1.GatewayServer{}, `{"spec":{"mtu":1200}}`),
		edited(
			"the port of the Service that is asked for", "milan", &networkingv1beta1.GatewayServer{},
			`{"spec":{"endpoint":{"port":51999}}}`,
		),
		edited(
			"the labels of the Service that are asked for", "milan", &networkingv1beta1.GatewayServer{},
			`{"spec":{"serviceLabels":{"team":"other"}}}`,
		),
		edited(
			"the server's template", "milan", &networkingv1beta1.GatewayServer{},
			`{"spec":{"serverTemplateRef":{"name":"nothing"}}}`,
		),
		edited(
			"the client's template", "rome", &networkingv1beta1.GatewayClient{},
			`{"spec":{"clientTemplateRef":{"name":"nothing"}}}`,
		),
		edited(
			"the port that is dialled", "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"endpoint":{"port":31999}}}`,
		),
		edited(
			"the client's Configuration", "rome", &networkingv1beta1.Configuration{},
			`{"spec":{"remote":{"cidr":{"pod":["10.222.0.0/16"]}}}}`,
		),
		edited(
			"the server's Configuration", "milan", &networkingv1beta1.Configuration{},
			`{"spec":{"remote":{"cidr":{"pod":["10.222.0.0/16"]}}}}`,
		),
		edited(
			"the key that the client trusts", "rome", &networkingv1beta1.PublicKey{},
			`{"spec":{"publicKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`,
		),
		edited(
			"the key that the server trusts", "milan", &networkingv1beta1.PublicKey{},
			`{"spec":{"publicKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`,
		),
		// Liqo corrects a Service by itself, except for the node port. The gateway then has another endpoint, and the client
		// dials the old one.
		damage{"the Service's node port", func() {
			lab.patchService(t, `[{"op":"replace","path":"/spec/ports/0/nodePort","value":31998}]`)
			await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
				func(gateway *networkingv1beta1.GatewayServer) bool {
					return gateway.Status.Endpoint.Port == 31998
				})
		}},
		damage{"the Service's type", func() {
			var before int32
			await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
				func(gateway *networkingv1beta1.GatewayServer) bool {
					before = gateway.Status.Endpoint.Port
					return true
				})
			lab.patchService(t, `[{"op":"replace","path":"/spec/type","value":"ClusterIP"}]`)
			await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
				func(gateway *networkingv1beta1.GatewayServer) bool {
					return gateway.Status.Endpoint.Port >= 30000 && gateway.Status.Endpoint.Port < 32768 &&
						gateway.Status.Endpoint.Port != before
				})
		}},
	)
}

func TestAccChangesThatLiqoCorrectsAreNotPlanned(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{Config: lab.contexts(shortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				lab.patchService(t, `[{"op":"replace","path":"/spec/ports/0/port","value":51999}]`)
				await(
					t, lab, "milan", &corev1.ServiceList{}, "gw-rome",
					func(service *corev1.Service) bool { return service.Spec.Ports[0].Port == 51840 },
				)
				lab.breakConnection(t)
				await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan",
					func(connection *networkingv1beta1.Connection) bool {
						return connection.Status.Value == networkingv1beta1.Connected
					})
			},
			Config:            lab.contexts(shortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

// breakConnection writes into Rome's Connection that the tunnel has failed. The gateway's next ping corrects it.
func (l *Lab) breakConnection(t *testing.T) {
	t.Helper()
	connection := &networkingv1beta1.Connection{}
	connection.Namespace, connection.Name = "liqo-tenant-milan", "gw-milan"
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"value":"Error"}}`))
	if err := l.client(t, "rome").Status().Patch(t.Context(), connection, patch); err != nil {
		t.Fatal(err)
	}
}

// patchInTenant changes the only object of this kind that belongs to another cluster, outside of Terraform.
func (l *Lab) patchInTenant(t *testing.T, cluster string, kind client.Object, patch string) {
	t.Helper()
	c, name := l.client(t, cluster), map[string]string{"rome": "milan", "milan": "rome"}[cluster]
	kind.SetNamespace("liqo-tenant-" + name)
	kind.SetName(name)
	if err := c.Patch(t.Context(), kind, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// patchService changes the Service of Milan's gateway, outside of Terraform and Liqo.
func (l *Lab) patchService(t *testing.T, patch string) {
	t.Helper()
	service := &corev1.Service{}
	service.Namespace, service.Name = "liqo-tenant-rome", "gw-rome"
	if err := l.client(t, "milan").Patch(
		t.Context(), service, client.RawPatch(types.JSONPatchType, []byte(patch)),
	); err != nil {
		t.Fatal(err)
	}
}
