package acceptance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gatewayChange says which gateways a change replaces. A replacement interrupts traffic.
type gatewayChange string

const (
	keepsGateways    gatewayChange = "neither gateway"
	replacesGateways gatewayChange = "both gateways"
	replacesClient   gatewayChange = "the client's gateway"
	replacesServer   gatewayChange = "the server's gateway"
)

// update is a change of settings. It has all new settings, and what must be true after the change besides a tunnel that
// is up.
type update struct {
	name     string
	settings string
	gateways gatewayChange
	checks   []statecheck.StateCheck
}

// updated applies one update after the other to a shortcut from Rome to Milan over a node port, all in place. The test
// framework checks that the plan after each update is empty.
func (l *Lab) updated(t *testing.T, all ...update) {
	t.Helper()
	gateways := &gatewayUIDs{t: t, lab: l}
	steps := []resource.TestStep{{
		Config:            l.between("milan", overNodePort),
		ConfigStateChecks: []statecheck.StateCheck{expect("status", connected), gateways.changed(replacesGateways)},
	}}
	for _, update := range all {
		steps = append(steps, resource.TestStep{
			PreConfig:         func() { t.Log(update.name) },
			Config:            l.between("milan", update.settings),
			ConfigPlanChecks:  inPlace(),
			ConfigStateChecks: append(update.checks, expect("status", connected), gateways.changed(update.gateways)),
		})
	}
	apply(t, steps...)
}

func TestAccTheServersGatewayChangesInPlace(t *testing.T) {
	lab := borrowLab(t)
	lab.copyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "my-server")
	endpointPort := func(port knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("port"), port)
	}
	endpointAddress := func(address string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(romeMilan, tfjsonpath.New("server_endpoint").AtMapKey("addresses"),
			knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(address)}))
	}
	lab.updated(t,
		update{
			"to a load balancer", "", keepsGateways, []statecheck.StateCheck{endpointPort(knownvalue.Int32Exact(51840))},
		},
		update{
			"to another port", `server_gateway = { port = 51900 }`, keepsGateways,
			[]statecheck.StateCheck{endpointPort(knownvalue.Int32Exact(51900))},
		},
		update{
			"to an address of one's choice", `server_gateway = { load_balancer_ip = "192.0.2.10" }`, keepsGateways,
			[]statecheck.StateCheck{endpointAddress("192.0.2.10"), endpointPort(knownvalue.Int32Exact(51840))},
		},
		update{
			"to a node port of one's choice", `server_gateway = { service_type = "NodePort", node_port = 31010 }`,
			keepsGateways,
			[]statecheck.StateCheck{endpointAddress(lab.nodeAddress(t, "milan")), endpointPort(knownvalue.Int32Exact(31010))},
		},
		update{
			"to annotations and labels of the Service", `server_gateway = {
				service_type        = "NodePort"
				service_annotations = { "example.com/speed" = "fast" }
				service_labels      = { team = "network" }
			}`, keepsGateways, []statecheck.StateCheck{lab.serviceIsMarked(t), endpointPort(nodePort())},
		},
		update{
			"to another MTU", overNodePort + "\nmtu = 1400", keepsGateways,
			[]statecheck.StateCheck{lab.gatewaysHaveMTU(t, 1400)},
		},
		update{
			"to another template", `server_gateway = { service_type = "NodePort", template = { name = "my-server" } }`,
			replacesServer,
			[]statecheck.StateCheck{lab.madeFrom(t, "wireguard-client", "my-server")},
		},
		update{"to an address inside the cluster", `server_gateway = { service_type = ` +
			`"ClusterIP" }`, replacesServer, []statecheck.StateCheck{
			endpointPort(knownvalue.Int32Exact(51840)), lab.exposedBy(t, corev1.ServiceTypeClusterIP),
			lab.madeFrom(t, "wireguard-client", "wireguard-server"),
		}},
		update{"back", overNodePort, keepsGateways, []statecheck.StateCheck{endpointPort(nodePort())}},
	)
}

func TestAccTheClientsGatewayChangesInPlace(t *testing.T) {
	lab := borrowLab(t)
	lab.copyTemplate(t, "rome", "WgGatewayClientTemplate", "wireguard-client", "my-client")
	const fixed = `server_gateway = { service_type = "NodePort", node_port = 31011 }` + "\n"
	lab.updated(t,
		update{"the server, to a port that is known", fixed, keepsGateways, nil},
		// The gateway works in this way already, so there is nothing to change.
		update{
			"to the address and the port that it dials already",
			fixed + fmt.Sprintf(`client_gateway = { connect_address = %q, connect_port = 31011 }`, lab.nodeAddress(t, "milan")),
			keepsGateways, nil,
		},
		update{
			"to the server's own port again",
			fixed + fmt.Sprintf(`client_gateway = { connect_address = %q }`, lab.nodeAddress(t, "milan")), keepsGateways, nil,
		},
		update{
			"to another template", fixed + `client_gateway = {
				template = {
				  name      = "my-client"
				  namespace = "liqo"
				  resource  = "networking.liqo.io/v1beta1/wggatewayclienttemplates"
				}
			}`, replacesClient, []statecheck.StateCheck{lab.madeFrom(t, "my-client", "wireguard-server")},
		},
		update{
			"back", fixed, replacesClient, []statecheck.StateCheck{lab.madeFrom(t, "wireguard-client", "wireguard-server")},
		},
	)
}

func TestAccNamespacesAndKeysChangeInPlace(t *testing.T) {
	lab := borrowLab(t)
	first := map[string]map[string][]byte{
		"rome": lab.haveKeys(t, "rome", "my-keys"), "milan": lab.haveKeys(t, "milan", "my-keys"),
	}
	second := map[string]map[string][]byte{
		"rome": lab.haveKeys(t, "rome", "other-keys"), "milan": lab.haveKeys(t, "milan", "other-keys"),
	}
	const ownNamespaces = `
		client_namespace = "default"
		server_namespace = "default"
	`
	keys := func(name string) string {
		return fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", key_secret = %q }
			client_gateway = { key_secret = %q }`, name, name) + ownNamespaces
	}
	lab.updated(t,
		update{"to namespaces of one's own", overNodePort + ownNamespaces, replacesGateways, []statecheck.StateCheck{
			expect("client_namespace", knownvalue.StringExact("default")),
			expect("server_namespace", knownvalue.StringExact("default")),
			lab.inNamespaces(t, "default", "default"),
		}},
		update{
			"to keys of one's own", keys("my-keys"), replacesGateways,
			[]statecheck.StateCheck{lab.trusts(t, "rome", first["milan"]), lab.trusts(t, "milan", first["rome"])},
		},
		update{
			"to other keys", keys("other-keys"), replacesGateways,
			[]statecheck.StateCheck{lab.trusts(t, "rome", second["milan"]), lab.trusts(t, "milan", second["rome"])},
		},
		update{"to Liqo's keys, in the tenant namespaces", overNodePort, replacesGateways, []statecheck.StateCheck{
			expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan")),
			expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")),
			lab.inNamespaces(t, "liqo-tenant-milan", "liqo-tenant-rome"), lab.withLiqosKeys(t),
		}},
		update{
			"and back", keys("my-keys"), replacesGateways,
			[]statecheck.StateCheck{lab.trusts(t, "rome", first["milan"]), lab.trusts(t, "milan", first["rome"])},
		},
		update{
			"to Liqo's keys in the same namespaces", overNodePort + ownNamespaces, replacesGateways,
			[]statecheck.StateCheck{lab.inNamespaces(t, "default", "default"), lab.withLiqosKeys(t)},
		},
		update{"to the user's keys again, which the destroy does not remove", keys("my-keys"), replacesGateways, nil},
	)
	for _, cluster := range []string{"rome", "milan"} {
		for _, name := range []string{"my-keys", "other-keys"} {
			var left corev1.Secret
			if err := lab.client(t, cluster).Get(
				t.Context(), client.ObjectKey{Namespace: "default", Name: name}, &left,
			); err != nil {
				t.Error(err)
			}
			if len(left.Labels) > 0 {
				t.Errorf("Secret %s of %s still has labels: %v", name, cluster, left.Labels)
			}
		}
	}
}

func TestAccOtherSettingsChangeWithoutTouchingTheGateways(t *testing.T) {
	lab := borrowLab(t)
	lab.updated(t,
		update{
			"parts of the address ranges", overNodePort + `
			server_network = { pod_cidrs = ["10.203.128.0/17"], external_cidr = "10.70.0.0/17" }`, keepsGateways,
			[]statecheck.StateCheck{
				keepsPodCIDR(romeMilan, "server_network", "10.203.128.0/17"),
				lab.asLiqoSays(t, romeMilan, "rome", "milan"),
			},
		},
		update{
			"of the client, too", overNodePort + `
			client_network = { pod_cidrs = ["10.202.64.0/18"] }
			cidr_remapping = "forbid"`, keepsGateways,
			[]statecheck.StateCheck{
				keepsPodCIDR(romeMilan, "client_network", "10.202.64.0/18"),
				keepsPodCIDR(romeMilan, "server_network", "10.203.0.0/16"),
				lab.asLiqoSays(t, romeMilan, "rome", "milan"),
			},
		},
		update{"the leaves' own", overNodePort, keepsGateways, []statecheck.StateCheck{
			keepsPodCIDR(romeMilan, "client_network", "10.202.0.0/16"), lab.asLiqoSays(t, romeMilan, "rome", "milan"),
		}},
		update{"no remapping", overNodePort + "\n" + `cidr_remapping = "forbid"`, keepsGateways, nil},
		update{"keys left to others", overNodePort + "\nshare_keys = false", keepsGateways, nil},
		update{"no waiting", overNodePort + "\nwait_for_connection = false", keepsGateways, nil},
		update{"what a destroy does", overNodePort + "\n" + `on_destroy = "disconnect"`, keepsGateways, nil},
		update{"what it does without a leaf", overNodePort + "\nforce_destroy = true", keepsGateways, nil},
		update{"what it does to a peering", overNodePort + "\ndestroy_peering_network = true", keepsGateways, nil},
		update{"adoption", overNodePort + "\nadopt_existing = true", keepsGateways, nil},
		update{
			"timeouts", overNodePort + "\n" + `timeouts = { create = "3m", read = "3m", update = "3m", delete = "3m" }`,
			keepsGateways, nil,
		},
	)
}

// Liqo 1.2.0 never reports a remapping as complete if the changed ranges are remapped to the same ones as before, as
// these are.
func TestAccRangesChangeInPlaceToOthersOfTheSameSize(t *testing.T) {
	lab := borrowTopology(t)
	announcing := func(half string, checks resource.ConfigPlanChecks) resource.TestStep {
		return resource.TestStep{
			Config: lab.between("naples", overNodePort+fmt.Sprintf(`
				server_network = { pod_cidrs = [%q] }`, half)),
			ConfigPlanChecks: checks,
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), lab.asLiqoSays(t, romeMilan, "rome", "naples"),
			},
		}
	}
	apply(t,
		announcing("10.202.0.0/17", resource.ConfigPlanChecks{}),
		announcing("10.202.128.0/17", inPlace()),
	)
}

func TestAccAnUpdateThatDoesNotWaitForTheTunnelStillWaitsForTheGatewaysToRestart(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() {
		lab.command(t, "set", "milan", "pull-image=true")
		lab.command(t, "set", "milan", "connect=true")
	})
	withMTU := func(mtu int) string {
		return lab.between("milan", fmt.Sprintf(`%s
			mtu                 = %d
			wait_for_connection = false
			timeouts            = { update = %q }`, overNodePort, mtu, ample))
	}
	apply(t,
		resource.TestStep{Config: withMTU(1340)},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "pull-image=false") },
			Config:    withMTU(1300),
			ExpectError: message(`The gateway's image can't be pulled on leaf "milan"`,
				`Time ran out while waiting for …the gateway to restart on "milan".`),
		},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "set", "milan", "connect=false")
				lab.command(t, "set", "milan", "pull-image=true")
			},
			Config: withMTU(1400), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{lab.gatewaysHaveMTU(t, 1400), lab.gatewaysRun(t)},
		},
	)
}

// gatewaysRun checks that the only pod of each gateway is ready.
func (l *Lab) gatewaysRun(t *testing.T) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		for _, name := range []string{"rome", "milan"} {
			var pods corev1.PodList
			gateways := client.MatchingLabels{"networking.liqo.io/component": "gateway"}
			if resp.Error = l.client(t, name).List(ctx, &pods, gateways); resp.Error != nil {
				return
			}
			if len(pods.Items) != 1 || !pods.Items[0].Status.ContainerStatuses[0].Ready {
				resp.Error = fmt.Errorf("the pods of the gateway of %s are %+v", name, pods.Items)
				return
			}
		}
	})
}

// gatewayUIDs stores the UIDs of the gateways of Rome and Milan between steps.
type gatewayUIDs struct {
	t    *testing.T
	lab  *Lab
	last map[string]types.UID // keyed by the cluster's name
}

// changed checks which gateways were replaced since the last step.
func (g *gatewayUIDs) changed(expected gatewayChange) statecheck.StateCheck {
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		var clients networkingv1beta1.GatewayClientList
		var servers networkingv1beta1.GatewayServerList
		resp.Error = errors.Join(
			g.lab.client(g.t, "rome").List(ctx, &clients), g.lab.client(g.t, "milan").List(ctx, &servers),
		)
		if resp.Error == nil && (len(clients.Items) != 1 || len(servers.Items) != 1) {
			resp.Error = fmt.Errorf("got %d GatewayClients and %d GatewayServers", len(clients.Items), len(servers.Items))
		}
		if resp.Error != nil {
			return
		}
		now := map[string]types.UID{"rome": clients.Items[0].UID, "milan": servers.Items[0].UID}
		before := g.last
		g.last = now
		replaced := map[[2]bool]gatewayChange{
			{false, false}: keepsGateways, {true, true}: replacesGateways, {true, false}: replacesClient,
			{false, true}: replacesServer,
		}[[2]bool{now["rome"] != before["rome"], now["milan"] != before["milan"]}]
		if replaced != expected {
			resp.Error = fmt.Errorf("replaced %s, expected %s", replaced, expected)
		}
	})
}

// serviceIsMarked checks the requested annotations and labels.
func (l *Lab) serviceIsMarked(t *testing.T) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		var service corev1.Service
		key := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "gw-rome"}
		if resp.Error = l.client(t, "milan").Get(ctx, key, &service); resp.Error != nil {
			return
		}
		if service.Annotations["example.com/speed"] != "fast" || service.Labels["team"] != "network" {
			resp.Error = fmt.Errorf("the Service has annotations %v and labels %v", service.Annotations, service.Labels)
		}
	})
}

// trusts checks the key that the gateway of a cluster uses for the other gateway.
func (l *Lab) trusts(t *testing.T, cluster string, keys map[string][]byte) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		var told networkingv1beta1.PublicKeyList
		if resp.Error = l.client(t, cluster).List(ctx, &told); resp.Error != nil {
			return
		}
		if len(told.Items) != 1 || !bytes.Equal(told.Items[0].Spec.PublicKey, keys["publicKey"]) {
			resp.Error = fmt.Errorf("the gateway of %s does not have the key of the other gateway", cluster)
		}
	})
}

// haveKeys creates a Secret with gateway keys in namespace default of a cluster, for the duration of the test.
func (l *Lab) haveKeys(t *testing.T, cluster, name string) map[string][]byte {
	t.Helper()
	secret := wireguardKeys(t, "default", name)
	keys := maps.Clone(secret.Data)
	l.have(t, cluster, secret)
	return keys
}
