package pair

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// update is a change of settings. It has all new settings, and what must be true after the change besides a tunnel that
// is up.
type update struct {
	name     string
	settings string
	replaces []string // the leaves whose gateways are replaced
	checks   []statecheck.StateCheck
}

var both = []string{"rome", "milan"}

// updated applies one update after the other to a shortcut from Rome to Milan over a node port, all in place. The test
// framework checks that the plan after each update is empty.
func updated(t *testing.T, l *acctest.Lab, all ...update) {
	t.Helper()
	gateways := &acctest.GatewayUIDs{T: t, Lab: l}
	steps := []resource.TestStep{{
		Config: l.Between("milan", acctest.OverNodePort),
		ConfigStateChecks: []statecheck.StateCheck{
			acctest.IsConnected,
			gateways.Replaced(both...),
		},
	}}
	for _, update := range all {
		steps = append(steps, resource.TestStep{
			PreConfig:         func() { t.Log(update.name) },
			Config:            l.Between("milan", update.settings),
			ConfigPlanChecks:  acctest.InPlace(),
			ConfigStateChecks: append(update.checks, acctest.IsConnected, gateways.Replaced(update.replaces...)),
		})
	}
	acctest.Apply(t, steps...)
}

// madeFrom checks the names of the templates of both gateways.
func madeFrom(t *testing.T, l *acctest.Lab, clientTemplate, serverTemplate string) []statecheck.StateCheck {
	t.Helper()
	return []statecheck.StateCheck{
		l.Has(t, "rome", &networkingv1beta1.GatewayClientList{}, ".spec.clientTemplateRef.name", clientTemplate),
		l.Has(t, "milan", &networkingv1beta1.GatewayServerList{}, ".spec.serverTemplateRef.name", serverTemplate),
	}
}

func TestAccTheServersGatewayChangesInPlace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.CopyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "my-server")
	endpointPort := func(port knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), port)
	}
	endpointAddress := func(address string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(acctest.RomeMilan, tfjsonpath.New("server_endpoint").AtMapKey("addresses"),
			knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(address)}))
	}
	service := func(what string, is func(*corev1.Service) bool) acctest.Check {
		return func(ctx context.Context) error {
			var service corev1.Service
			key := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "gw-rome"}
			if err := lab.Client(t, "milan").Get(ctx, key, &service); err != nil || is(&service) {
				return err
			}
			return fmt.Errorf("the Service is not %s: %+v", what, service)
		}
	}
	updated(t, lab,
		update{
			"to a load balancer", "", nil, []statecheck.StateCheck{endpointPort(knownvalue.Int32Exact(51840))},
		},
		update{
			"to another port", `server_gateway = { port = 51900 }`, nil,
			[]statecheck.StateCheck{endpointPort(knownvalue.Int32Exact(51900))},
		},
		update{
			"to an address of one's choice", `server_gateway = { load_balancer_ip = "192.0.2.10" }`, nil,
			[]statecheck.StateCheck{endpointAddress("192.0.2.10"), endpointPort(knownvalue.Int32Exact(51840))},
		},
		update{
			"to a node port of one's choice", `server_gateway = { service_type = "NodePort", node_port = 31010 }`,
			nil,
			[]statecheck.StateCheck{endpointAddress(lab.NodeAddress(t, "milan")), endpointPort(knownvalue.Int32Exact(31010))},
		},
		update{
			"to annotations and labels of the Service", `server_gateway = {
				service_type        = "NodePort"
				service_annotations = { "example.com/speed" = "fast" }
				service_labels      = { team = "network" }
			}`, nil, []statecheck.StateCheck{
				endpointPort(nodePort()), service("marked", func(has *corev1.Service) bool {
					return has.Annotations["example.com/speed"] == "fast" && has.Labels["team"] == "network"
				}),
			},
		},
		update{
			"to another MTU", acctest.OverNodePort + "\nmtu = 1400", nil,
			[]statecheck.StateCheck{lab.GatewaysHaveMTU(t, 1400)},
		},
		update{
			"to another template", `server_gateway = { service_type = "NodePort", template = { name = "my-server" } }`,
			[]string{"milan"},
			madeFrom(t, lab, "wireguard-client", "my-server"),
		},
		update{
			"to an address inside the cluster", `server_gateway = { service_type = "ClusterIP" }`, []string{"milan"},
			append(madeFrom(t, lab, "wireguard-client", "wireguard-server"),
				endpointPort(knownvalue.Int32Exact(51840)), service("inside the cluster", func(has *corev1.Service) bool {
					return has.Spec.Type == corev1.ServiceTypeClusterIP
				})),
		},
		update{"back", acctest.OverNodePort, nil, []statecheck.StateCheck{endpointPort(nodePort())}},
	)
}

func TestAccTheClientsGatewayChangesInPlace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.CopyTemplate(t, "rome", "WgGatewayClientTemplate", "wireguard-client", "my-client")
	const fixed = `server_gateway = { service_type = "NodePort", node_port = 31011 }` + "\n"
	updated(t, lab,
		update{"the server, to a port that is known", fixed, nil, nil},
		// The gateway works in this way already, so there is nothing to change.
		update{
			"to the address and the port that it dials already",
			fixed + fmt.Sprintf(`client_gateway = { server_address = %q, server_port = 31011 }`,
				lab.NodeAddress(t, "milan")),
			nil, nil,
		},
		update{
			"to the server's own port again",
			fixed + fmt.Sprintf(`client_gateway = { server_address = %q }`,
				lab.NodeAddress(t, "milan")), nil, nil,
		},
		update{
			"to another template", fixed + `client_gateway = {
				template = {
				  name      = "my-client"
				  namespace = "liqo"
				  resource  = "networking.liqo.io/v1beta1/wggatewayclienttemplates"
				}
			}`, []string{"rome"}, madeFrom(t, lab, "my-client", "wireguard-server"),
		},
		update{
			"back", fixed, []string{"rome"},
			madeFrom(t, lab, "wireguard-client", "wireguard-server"),
		},
	)
}

func TestAccNamespacesAndKeysChangeInPlace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	first := map[string]map[string][]byte{
		"rome": lab.HaveKeys(t, "rome", "my-keys"), "milan": lab.HaveKeys(t, "milan", "my-keys"),
	}
	second := map[string]map[string][]byte{
		"rome": lab.HaveKeys(t, "rome", "other-keys"), "milan": lab.HaveKeys(t, "milan", "other-keys"),
	}
	const ownNamespaces = `
		client_namespace = "default"
		server_namespace = "default"
	`
	keys := func(name string) string {
		return fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", key_secret_name = %q }
			client_gateway = { key_secret_name = %q }`, name, name) + ownNamespaces
	}
	gatewaysHave := func(path, client, server string, more ...statecheck.StateCheck) []statecheck.StateCheck {
		return append(more, lab.Has(t, "rome", &networkingv1beta1.GatewayClientList{}, path, client),
			lab.Has(t, "milan", &networkingv1beta1.GatewayServerList{}, path, server))
	}
	liqosKeys := gatewaysHave(".status.secretRef.name", "gw-milan", "gw-rome")
	trusting := func(keys map[string]map[string][]byte) (checks []statecheck.StateCheck) {
		for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
			key := strconv.Quote(base64.StdEncoding.EncodeToString(keys[of]["publicKey"]))
			checks = append(checks, lab.Has(t, at, &networkingv1beta1.PublicKeyList{}, ".spec.publicKey", key))
		}
		return checks
	}
	updated(t, lab,
		update{
			"to namespaces of one's own", acctest.OverNodePort + ownNamespaces, both,
			gatewaysHave(".metadata.namespace", "default", "default",
				acctest.Expect("client_namespace", knownvalue.StringExact("default")),
				acctest.Expect("server_namespace", knownvalue.StringExact("default"))),
		},
		update{"to keys of one's own", keys("my-keys"), both, trusting(first)},
		update{"to other keys", keys("other-keys"), both, trusting(second)},
		update{
			"to Liqo's keys, in the tenant namespaces", acctest.OverNodePort, both,
			gatewaysHave(".metadata.namespace", "liqo-tenant-milan", "liqo-tenant-rome", append(liqosKeys,
				acctest.Expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan")),
				acctest.Expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")))...),
		},
		update{"and back", keys("my-keys"), both, trusting(first)},
		update{
			"to Liqo's keys in the same namespaces", acctest.OverNodePort + ownNamespaces, both,
			gatewaysHave(".metadata.namespace", "default", "default", liqosKeys...),
		},
		update{"to the user's keys again, which the destroy does not remove", keys("my-keys"), both, nil},
	)
	for _, cluster := range both {
		for _, name := range []string{"my-keys", "other-keys"} {
			var left corev1.Secret
			key := client.ObjectKey{Namespace: "default", Name: name}
			if err := lab.Client(t, cluster).Get(t.Context(), key, &left); err != nil {
				t.Error(err)
			}
			if len(left.Labels) > 0 {
				t.Errorf("Secret %s of %s still has labels: %v", name, cluster, left.Labels)
			}
		}
	}
}

func TestAccOtherSettingsChangeWithoutTouchingTheGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	updated(t, lab,
		update{
			"parts of the address ranges", acctest.OverNodePort + `
			server_network = { pod_cidrs = ["10.203.128.0/17"], external_cidr = "10.70.0.0/17" }`, nil,
			[]statecheck.StateCheck{
				acctest.KeepsPodCIDR(acctest.RomeMilan, "server_network", "10.203.128.0/17"),
				lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
			},
		},
		update{
			"of the client, too", acctest.OverNodePort + `
			client_network = { pod_cidrs = ["10.202.64.0/18"] }
			cidr_remapping = "forbid"`, nil,
			[]statecheck.StateCheck{
				acctest.KeepsPodCIDR(acctest.RomeMilan, "client_network", "10.202.64.0/18"),
				acctest.KeepsPodCIDR(acctest.RomeMilan, "server_network", "10.203.0.0/16"),
				lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
			},
		},
		update{"the leaves' own", acctest.OverNodePort, nil, []statecheck.StateCheck{
			acctest.KeepsPodCIDR(acctest.RomeMilan, "client_network",
				"10.202.0.0/16"), lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
		}},
		update{"no remapping", acctest.OverNodePort + "\n" + `cidr_remapping = "forbid"`, nil, nil},
		update{"no waiting", acctest.OverNodePort + "\nwait_for_connection = false", nil, nil},
		update{"what a destroy does", acctest.OverNodePort + "\n" + `on_destroy = "disconnect"`, nil, nil},
		update{"what it does without a leaf", acctest.OverNodePort + "\nabandon_lost_cluster = true", nil, nil},
		update{"what it does to a peering", acctest.OverNodePort + "\ndestroy_peering_network = true", nil, nil},
		update{
			"timeouts", acctest.OverNodePort + "\n" + `timeouts = { create = "3m", read = "3m", update = "3m", delete = "3m" }`,
			nil, nil,
		},
	)
}
