package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// validate validates a liqo_shortcut in the same way as `terraform validate`. It returns all diagnostics, one error per
// line.
func validate(t *testing.T, values map[string]tftypes.Value) string {
	t.Helper()
	object := shortcutType()
	for name, nested := range values {
		if attributes, isObject := object.AttributeTypes[name].(tftypes.Object); isObject {
			var given map[string]tftypes.Value
			must(t, nested.As(&given))
			values[name] = tftypes.NewValue(attributes, filled(attributes, given))
		}
	}
	return validated(t, tftypes.NewValue(object, filled(object, values)))
}

func number(value int) tftypes.Value { return tftypes.NewValue(tftypes.Number, value) }

// nested returns a nested object with these attributes.
func nested(values map[string]tftypes.Value) tftypes.Value {
	attributes := map[string]tftypes.Type{}
	for name, value := range values {
		attributes[name] = value.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: attributes}, values)
}

func ranges(values ...string) tftypes.Value {
	elements := make([]tftypes.Value, len(values))
	for i, value := range values {
		elements[i] = text(value)
	}
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, elements)
}

func textsByKey(key string, value tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{key: value})
}

func template(name, namespace, resource string) tftypes.Value {
	return nested(map[string]tftypes.Value{"name": text(name), "namespace": text(namespace), "resource": text(resource)})
}

func TestInvalidValuesAreRejectedAtTheirAttribute(t *testing.T) {
	kind := types.ObjectType{AttrTypes: podsTypes}.TerraformType(t.Context())
	pods := kind.(tftypes.Object) //nolint:errcheck,forcetypeassert // it is one
	for expected, values := range map[string]map[string]tftypes.Value{
		`AttributeName("mtu")`:                       {"mtu": number(500)},
		`AttributeName("client"): `:                  {"client": text("")},
		`AttributeName("server"): Invalid`:           {"server": text("")},
		`AttributeName("client_namespace"): Invalid`: {"client_namespace": text("")},
		`AttributeName("server_gateway").AttributeName("key_secret_name"): Invalid`: {
			"server_gateway": nested(map[string]tftypes.Value{"key_secret_name": text("")}),
		},
		`AttributeName("server"): The same leaf twice`: {"server": text("rome")},
		`AttributeName("server_gateway").AttributeName("port")`: {
			"server_gateway": nested(map[string]tftypes.Value{"port": number(70000)}),
		},
		`AttributeName("server_gateway").AttributeName("node_port"): Invalid`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_type": text("NodePort"), "node_port": number(8080)}),
		},
		`AttributeName("server_gateway").AttributeName("node_port"): node_port without NodePort`: {
			"server_gateway": nested(map[string]tftypes.Value{"node_port": number(30100)}),
		},
		`AttributeName("server_gateway").AttributeName("load_balancer_ip"): load_balancer_ip without LoadBalancer`: {
			"server_gateway": nested(
				map[string]tftypes.Value{"service_type": text("NodePort"), "load_balancer_ip": text("1.2.3.4")},
			),
		},
		`AttributeName("server_gateway").AttributeName("load_balancer_ip"): Invalid`: {
			"server_gateway": nested(map[string]tftypes.Value{"load_balancer_ip": text("1.2.3")}),
		},
		`AttributeName("server_gateway").AttributeName("service_type"): Invalid`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_type": text("ExternalName")}),
		},
		`AttributeName("client_gateway").AttributeName("server_address"): Not an address`: {
			"client_gateway": nested(map[string]tftypes.Value{"server_address": text("milan.example:51840")}),
		},
		`AttributeName("timeouts").AttributeName("create"): Timeout must be positive`: {
			"timeouts": nested(map[string]tftypes.Value{"create": text("0s")}),
		},
		`AttributeName("client_network").AttributeName("external_cidr"): Invalid`: {
			"client_network": nested(map[string]tftypes.Value{"external_cidr": text("10.0.0.0")}),
		},
		`AttributeName("client_network").AttributeName("pod_cidrs").ElementKeyInt(0): Not a CIDR`: {
			"client_network": nested(map[string]tftypes.Value{"pod_cidrs": ranges("10.0.0.0/99")}),
		},
		`AttributeName("client_network").AttributeName("pod_cidrs").ElementKeyInt(0): Host bits in a CIDR`: {
			"client_network": nested(map[string]tftypes.Value{"pod_cidrs": ranges("10.1.0.5/16")}),
		},
		`AttributeName("server_network").AttributeName("external_cidr"): Host bits in a CIDR`: {
			"server_network": nested(map[string]tftypes.Value{"external_cidr": text("10.1.0.5/16")}),
		},
		`AttributeName("client_network").AttributeName("pod_cidrs"): Null List Value: This attribute contains a ` +
			`null value.`: {
			"client_network": nested(
				map[string]tftypes.Value{
					"pod_cidrs": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{null}),
				},
			),
		},
		`AttributeName("client_network").AttributeName("pod_cidrs").ElementKeyInt(0): Not a CIDR: The value "" must be`: {
			"client_network": nested(map[string]tftypes.Value{"pod_cidrs": ranges("")}),
		},
		`AttributeName("server_network").AttributeName("external_cidr"): Invalid IP CIDR String Value`: {
			"server_network": nested(map[string]tftypes.Value{"external_cidr": text("")}),
		},
		`AttributeName("resources").ElementKeyString("requests"): Resources without a container`: {
			"client_gateway": nested(map[string]tftypes.Value{"pods": tftypes.NewValue(pods, filled(pods,
				map[string]tftypes.Value{"resources": someResourcesOf("requests")}))}),
		},
		`AttributeName("server_gateway").AttributeName("service_annotations"): Null Map Value: This attribute contains ` +
			`a null value.`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_annotations": textsByKey("a", null)}),
		},
		`AttributeName("server_gateway").AttributeName("service_labels"): Null Map Value: This attribute contains a ` +
			`null value.`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_labels": textsByKey("a", null)}),
		},
		`AttributeName("server_gateway").AttributeName("service_labels").ElementKeyString(""): Not a key of a label`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_labels": textsByKey("", text("x"))}),
		},
		`AttributeName("server_gateway").AttributeName("service_annotations").ElementKeyString("no key"): Not a key of ` +
			`a label`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_annotations": textsByKey("no key", text("x"))}),
		},
		`AttributeName("server_gateway").AttributeName("service_labels").ElementKeyString("a"): Not the value of a label`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_labels": textsByKey("a", text("no value"))}),
		},
		`AttributeName("server_gateway").AttributeName("load_balancer_ip"): Invalid IP Address String Value`: {
			"server_gateway": nested(map[string]tftypes.Value{"load_balancer_ip": text("")}),
		},
		`AttributeName("server_gateway").AttributeName("service_type"): Invalid Attribute Value Match`: {
			"server_gateway": nested(map[string]tftypes.Value{"service_type": text("")}),
		},
		`AttributeName("server_gateway").AttributeName("key_secret_name"): Invalid Attribute Value Length`: {
			"server_gateway": nested(map[string]tftypes.Value{"key_secret_name": text("")}),
		},
		`AttributeName("server_gateway").AttributeName("template").AttributeName("name"): Invalid Attribute Value Length`: {
			"server_gateway": nested(
				map[string]tftypes.Value{"template": template("", "liqo", "networking.liqo.io/v1beta1/wggatewayservertemplates")},
			),
		},
		`AttributeName("server_gateway").AttributeName("template").AttributeName("namespace"): Invalid Attribute ` +
			`Value Length`: {
			"server_gateway": nested(
				map[string]tftypes.Value{"template": template("x", "", "networking.liqo.io/v1beta1/wggatewayservertemplates")},
			),
		},
		`AttributeName("client_gateway").AttributeName("template").AttributeName("resource"): Invalid Attribute ` +
			`Value Match`: {
			"client_gateway": nested(map[string]tftypes.Value{"template": template("x", "liqo", "")}),
		},
		`AttributeName("client_gateway").AttributeName("server_address"): Not an address: The value "" must be`: {
			"client_gateway": nested(map[string]tftypes.Value{"server_address": text("")}),
		},
		`AttributeName("client_namespace"): Invalid Attribute Value Length`: {"client_namespace": text("")},
		`AttributeName("timeouts").AttributeName("read"): Invalid`: {
			"timeouts": nested(map[string]tftypes.Value{"read": text("")}),
		},
		`AttributeName("cidr_remapping"): Invalid`: {"cidr_remapping": text("perhaps")},
		`AttributeName("on_destroy"): Invalid`:     {"on_destroy": text("nothing")},
		`AttributeName("server_gateway").AttributeName("template").AttributeName("resource"): Invalid`: {
			"server_gateway": nested(map[string]tftypes.Value{"template": nested(map[string]tftypes.Value{
				"name": text("x"), "namespace": text("liqo"), "resource": text("wggatewayservertemplates"),
			})}),
		},
		`AttributeName("client_gateway").AttributeName("server_port"): Invalid`: {
			"client_gateway": nested(map[string]tftypes.Value{"server_port": number(0)}),
		},
	} {
		t.Run(expected, func(t *testing.T) {
			for name, value := range map[string]tftypes.Value{"client": text("rome"), "server": text("milan")} {
				if _, given := values[name]; !given {
					values[name] = value
				}
			}
			if said := validate(t, values); !strings.Contains(said, expected) {
				t.Errorf("expected %s, got:\n%s", expected, said)
			}
		})
	}
}

func TestValidValuesAreAccepted(t *testing.T) {
	no := tftypes.NewValue(tftypes.Bool, false)
	for name, values := range map[string]map[string]tftypes.Value{
		"only the leaves": {},
		"the defaults, set": {
			"mtu": number(1400), "wait_for_connection": no, "cidr_remapping": text("forbid"),
			"on_destroy":           text("disconnect"),
			"abandon_lost_cluster": no, "destroy_peering_network": no, "client_namespace": text("of-rome"),
			"server_namespace": text("of-milan"),
		},
		"a node port": {
			"server_gateway": nested(map[string]tftypes.Value{"service_type": text("NodePort"), "node_port": number(30000)}),
		},
		"a load balancer's address": {
			"server_gateway": nested(map[string]tftypes.Value{"load_balancer_ip": text("2001:db8::1"), "port": number(65535)}),
		},
		"a DNS name to dial": {
			"client_gateway": nested(
				map[string]tftypes.Value{"server_address": text("milan.example"), "server_port": number(1)},
			),
		},
		"an IPv6 address to dial": {
			"client_gateway": nested(map[string]tftypes.Value{"server_address": text("2001:db8::1")}),
		},
		"an unknown node port": {
			"server_gateway": nested(
				map[string]tftypes.Value{"node_port": tftypes.NewValue(tftypes.Number, tftypes.UnknownValue)},
			),
		},
		"an unknown address": {
			"server_gateway": nested(
				map[string]tftypes.Value{"service_type": text("NodePort"), "load_balancer_ip": unknownText},
			),
		},
		"a label without a value": {
			"server_gateway": nested(map[string]tftypes.Value{"service_labels": textsByKey("team", text(""))}),
		},
		"an unknown label": {
			"server_gateway": nested(map[string]tftypes.Value{"service_labels": textsByKey("team", unknownText)}),
		},
		"unknown values": {
			"mtu": tftypes.NewValue(tftypes.Number, tftypes.UnknownValue), "client": unknownText, "server": unknownText,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for leaf, value := range map[string]tftypes.Value{"client": text("rome"), "server": text("milan")} {
				if _, given := values[leaf]; !given {
					values[leaf] = value
				}
			}
			if said := validate(t, values); said != "" {
				t.Error(said)
			}
		})
	}
}
