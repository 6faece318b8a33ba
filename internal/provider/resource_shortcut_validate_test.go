package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestInvalidValuesAreRejectedAtTheirAttribute(t *testing.T) {
	const length, match = "Invalid Attribute Value Length", "Invalid Attribute Value Match"
	const noNull = "This attribute contains a null value."
	empty := text("")
	for _, test := range []struct {
		at    string // the setting, perhaps with an element of it
		value tftypes.Value
		says  string
	}{
		{"mtu", number(500), "Invalid"},
		{"client", empty, ""},
		{"server", empty, "Invalid"},
		{"server", text("rome"), "The same leaf twice"},
		{"client_namespace", empty, length},
		{"cidr_remapping", text("perhaps"), "Invalid"},
		{"on_destroy", text("nothing"), "Invalid"},
		{"timeouts.create", text("0s"), "Timeout must be positive"},
		{"timeouts.read", empty, "Invalid"},
		{"server_gateway.port", number(70000), "Invalid"},
		{"server_gateway.node_port", number(8080), "Invalid"},
		{"server_gateway.node_port", number(30100), "node_port without NodePort"},
		{"server_gateway.load_balancer_ip", text("1.2.3"), "Invalid"},
		{"server_gateway.load_balancer_ip", empty, "Invalid IP Address String Value"},
		{"server_gateway.service_type", text("ExternalName"), "Invalid"},
		{"server_gateway.service_type", empty, match},
		{"server_gateway.key_secret_name", empty, length},
		{"server_gateway.template.name", empty, length},
		{"server_gateway.template.namespace", empty, length},
		{"server_gateway.template.resource", text("wggatewayservertemplates"), "Invalid"},
		{"client_gateway.template.resource", empty, match},
		{"client_gateway.server_address", text("milan.example:51840"), "Not an address"},
		{"client_gateway.server_address", empty, `Not an address: The value "" must be`},
		{"client_gateway.server_port", number(0), "Invalid"},
		{`client_gateway.pods.resources["requests"]`, someResourcesOf("requests"), "Resources without a container"},
		{"client_network.external_cidr", text("10.0.0.0"), "Invalid"},
		{"client_network.pod_cidrs[0]", listOf(text("10.0.0.0/99")), "Not a CIDR"},
		{"client_network.pod_cidrs[0]", listOf(text("10.1.0.5/16")), "Host bits in a CIDR"},
		{"client_network.pod_cidrs[0]", listOf(empty), `Not a CIDR: The value "" must be`},
		{"client_network.pod_cidrs", listOf(null), "Null List Value: " + noNull},
		{"server_network.external_cidr", text("10.1.0.5/16"), "Host bits in a CIDR"},
		{"server_network.external_cidr", empty, "Invalid IP CIDR String Value"},
		{"server_gateway.service_annotations", textByName("a", null), "Null Map Value: " + noNull},
		{`server_gateway.service_annotations["no key"]`, textByName("no key", text("x")), "Not a key of a label"},
		{"server_gateway.service_labels", textByName("a", null), "Null Map Value: " + noNull},
		{`server_gateway.service_labels[""]`, textByName("", text("x")), "Not a key of a label"},
		{`server_gateway.service_labels["a"]`, textByName("a", text("no value")), "Not the value of a label"},
	} {
		t.Run(test.at+": "+test.says, func(t *testing.T) {
			setting, _, _ := strings.Cut(test.at, "[")
			clustertest.Has(t, validated(t, romeMilan(values{setting: test.value})), test.at+": "+test.says)
		})
	}
	t.Run("an address of no load balancer", func(t *testing.T) {
		const address = "server_gateway.load_balancer_ip"
		config := romeMilan(values{"server_gateway.service_type": text("NodePort"), address: text("1.2.3.4")})
		clustertest.Has(t, validated(t, config), address+": load_balancer_ip without LoadBalancer")
	})
}

func TestValidValuesAreAccepted(t *testing.T) {
	const serviceType, nodePort = "server_gateway.service_type", "server_gateway.node_port"
	for name, settings := range map[string]values{
		"only the leaves": {},
		"the defaults, set": {
			"mtu": number(1400), "wait_for_connection": boolean(false), "cidr_remapping": text("forbid"),
			"on_destroy": text("disconnect"), "abandon_lost_cluster": boolean(false),
			"destroy_peering_network": boolean(false), "client_namespace": text("of-rome"),
			"server_namespace": text("of-milan"),
		},
		"a node port": {serviceType: text("NodePort"), nodePort: number(30000)},
		"a load balancer's address": {
			"server_gateway.load_balancer_ip": text("2001:db8::1"), "server_gateway.port": number(65535),
		},
		"a DNS name to dial": {
			"client_gateway.server_address": text("milan.example"), "client_gateway.server_port": number(1),
		},
		"an IPv6 address to dial": {"client_gateway.server_address": text("2001:db8::1")},
		"an unknown node port":    {nodePort: unknownOf(tftypes.Number)},
		"an unknown address":      {serviceType: text("NodePort"), "server_gateway.load_balancer_ip": unknownText},
		"a label without a value": {"server_gateway.service_labels": textByName("team", text(""))},
		"an unknown label":        {"server_gateway.service_labels": textByName("team", unknownText)},
		"unknown values":          {"mtu": unknownOf(tftypes.Number), "client": unknownText, "server": unknownText},
	} {
		t.Run(name, func(t *testing.T) {
			accepted(t, validated(t, romeMilan(settings)))
		})
	}
}
