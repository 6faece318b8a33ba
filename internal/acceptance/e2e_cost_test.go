package acceptance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The names of the parts that a change can touch, in the guide's table.
const (
	serverGateway = "the server's gateway"
	serverService = "its Service"
	serverAddress = "its address"
	serverKeys    = "its keys"
	serverPod     = "its pod"
	clientGateway = "the client's gateway"
	clientKeys    = "the keys of the client"
	clientPod     = "the pod of the client"
)

// cost is a change of settings, and what it costs.
type cost struct {
	name     string
	settings string
	touches  []string // the parts that are others after the change
	loses    bool     // packets, for a moment
}

func TestAccPacketsShowWhatAChangeOfTheServersGatewayCosts(t *testing.T) {
	const port = `service_type = "NodePort", node_port = 31510`
	borrowRealLab(t).costs(t, `server_gateway = { `+port+` }`,
		cost{"service_annotations, more", `server_gateway = {
			` + port + `, service_annotations = { "example.com/speed" = "fast", "example.com/zone" = "a" }
		}`, nil, false},
		cost{"service_annotations, less", `server_gateway = {
			` + port + `, service_annotations = { "example.com/speed" = "slow" }
		}`, nil, false},
		cost{"service_labels", `server_gateway = { ` + port + `, service_labels = { team = "network" } }`, nil, false},
		cost{"timeouts", `server_gateway = { ` + port + `, service_labels = { team = "network" } }
			timeouts = { create = "3m" }`, nil, false},
		cost{"node_port", `server_gateway = { service_type = "NodePort", node_port = 31511 }`,
			[]string{serverAddress, clientPod}, true},
		cost{"port", `server_gateway = { service_type = "NodePort", node_port = 31511, port = 51900 }`,
			[]string{serverPod}, true},
		cost{"service_type", `server_gateway = { port = 51900 }`, []string{serverAddress, clientPod}, true},
		cost{"load_balancer_ip", `server_gateway = { port = 51900, load_balancer_ip = "172.18.0.200" }`,
			[]string{serverAddress, clientPod}, true},
	)
}

func TestAccPacketsShowWhatAChangeOfTheTunnelCosts(t *testing.T) {
	lab := borrowRealLab(t)
	lab.copyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "my-server")
	lab.copyTemplate(t, "rome", "WgGatewayClientTemplate", "wireguard-client", "my-client")
	const port = `server_gateway = { service_type = "NodePort", node_port = 31510 }` + "\n"
	lab.costs(t, port,
		cost{"mtu", port + "mtu = 1300", []string{serverPod, clientPod}, true},
		cost{"connect_address", port + fmt.Sprintf(`
			mtu            = 1300
			client_gateway = { connect_address = %q }`, lab.cluster(t, "milan").NATIP), []string{clientPod}, true},
		cost{"template of the client", port + `
			mtu            = 1300
			client_gateway = { template = { name = "my-client" } }`,
			[]string{clientGateway, clientKeys, clientPod}, true},
		cost{"template of the server", `
			server_gateway = { service_type = "NodePort", node_port = 31510, template = { name = "my-server" } }
			mtu            = 1300
			client_gateway = { template = { name = "my-client" } }`,
			[]string{serverGateway, serverService, serverKeys, serverPod}, true},
	)
}

func TestAccPacketsShowWhatAReplacedGatewayCosts(t *testing.T) {
	lab := borrowRealLab(t)
	lab.haveKeys(t, "rome", "my-keys")
	lab.haveKeys(t, "milan", "my-keys")
	const port = `service_type = "NodePort", node_port = 31510`
	const dialled = `server_gateway = { ` + port + ` }
		client_namespace = "default"
		client_gateway   = { key_secret = "my-keys" }` + "\n"
	ofClient := []string{clientGateway, clientKeys, clientPod}
	ofServer := []string{serverGateway, serverService, serverKeys, serverPod}
	lab.costs(t, `server_gateway = { `+port+` }`,
		cost{"client_namespace", `server_gateway = { ` + port + ` }
			client_namespace = "default"`, ofClient, true},
		cost{"key_secret of the client", dialled, ofClient, true},
		cost{"server_namespace", dialled + `server_namespace = "default"`, ofServer, true},
		cost{"key_secret of the server", `
			server_gateway   = { ` + port + `, key_secret = "my-keys" }
			server_namespace = "default"
			client_namespace = "default"
			client_gateway   = { key_secret = "my-keys" }`, ofServer, true},
	)
}

// costs applies a shortcut from Rome to Milan, and then one change after the other. It compares the parts
// before and after each, and counts the lost packets.
func (l *realLab) costs(t *testing.T, settings string, changes ...cost) {
	t.Helper()
	p := l.join(t, "milan", settings)
	p.works()
	before := l.parts(t)
	for _, change := range changes {
		p.configure(change.settings)
		traffic := p.measure(change.name, map[bool]string{true: briefly, false: patiently}[change.loses], func() {
			says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
		})
		p.works()
		p.run("plan", "-detailed-exitcode") // nothing is left to change
		after := l.parts(t)
		var touched []string
		for _, part := range slices.Sorted(maps.Keys(after)) {
			if after[part] != before[part] {
				touched = append(touched, part)
			}
		}
		if !slices.Equal(touched, slices.Sorted(slices.Values(change.touches))) {
			t.Errorf("%s touches %q, expected %q", change.name, touched, change.touches)
		}
		if !change.loses && traffic.Lost > 0 {
			t.Errorf("%s loses %d of %d packets", change.name, traffic.Lost, traffic.Sent)
		}
		before = after
	}
}

// parts returns what identifies the parts of the shortcut from Rome to Milan, by their names.
func (l *realLab) parts(t *testing.T) map[string]string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	var (
		servers networkingv1beta1.GatewayServerList
		clients networkingv1beta1.GatewayClientList
	)
	rome, milan := l.client(t, "rome"), l.client(t, "milan")
	if err := errors.Join(milan.List(ctx, &servers), rome.List(ctx, &clients)); err != nil {
		t.Fatal(err)
	}
	if len(servers.Items) != 1 || len(clients.Items) != 1 {
		t.Fatalf("%d servers and %d clients", len(servers.Items), len(clients.Items))
	}
	server, dialling := &servers.Items[0], &clients.Items[0]
	var (
		service       corev1.Service
		atMilan, keys corev1.Secret
	)
	if err := errors.Join(
		milan.Get(ctx, client.ObjectKey{Namespace: server.Namespace, Name: "gw-" + server.Name}, &service),
		milan.Get(ctx, referredTo(server.Status.SecretRef), &atMilan),
		rome.Get(ctx, referredTo(dialling.Status.SecretRef), &keys),
	); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		serverGateway: string(server.UID), serverService: string(service.UID), serverKeys: string(atMilan.UID),
		serverAddress: fmt.Sprint(server.Status.Endpoint.Addresses, server.Status.Endpoint.Port),
		serverPod:     string(l.gatewayPod(t, "milan").UID),
		clientGateway: string(dialling.UID), clientKeys: string(keys.UID), clientPod: string(l.gatewayPod(t, "rome").UID),
	}
}

func referredTo(object *corev1.ObjectReference) client.ObjectKey {
	return client.ObjectKey{Namespace: object.Namespace, Name: object.Name}
}
