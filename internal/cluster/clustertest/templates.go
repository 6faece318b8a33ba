package clustertest

import (
	"reflect"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// What is in this file are the places of Liqo's own templates that depend on a gateway. The templates of the next Liqo
// ask for its ports, which Liqo 1.2 does not have.

// ServerTemplate is Liqo's own template of gateway servers.
func ServerTemplate() *networkingv1beta1.WgGatewayServerTemplate {
	return serverTemplate(port, []any{
		"--mtu={{ .Spec.MTU }}", "--remote={{ .ClusterID }}", "--listen-port=" + port,
	}, "NET_RAW")
}

// ClientTemplate is Liqo's own template of gateway clients.
func ClientTemplate() *networkingv1beta1.WgGatewayClientTemplate {
	return clientTemplate([]any{"--mtu={{ .Spec.MTU }}", address, "--endpoint-port=" + port}, "NET_RAW")
}

// NextServerTemplate is the template of gateway servers in the next Liqo.
func NextServerTemplate() *networkingv1beta1.WgGatewayServerTemplate {
	return serverTemplate(firstPort, []any{
		"--mtu={{ .Spec.MTU }}", "--remote={{ .ClusterID }}", argument("listen"), multipath,
	}, capability)
}

// NextClientTemplate is the template of gateway clients in the next Liqo.
func NextClientTemplate() *networkingv1beta1.WgGatewayClientTemplate {
	return clientTemplate([]any{"--mtu={{ .Spec.MTU }}", address, argument("endpoint"), multipath}, capability)
}

// AddEmptyTemplates creates templates of both types that say nothing, unless a leaf has them. The keys of names are
// namespaces.
func AddEmptyTemplates(t *testing.T, leaf *cluster.Leaf, names map[string][]string) {
	t.Helper()
	for namespace, all := range names {
		for _, name := range all {
			meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
			for _, template := range []client.Object{
				&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: meta},
				&networkingv1beta1.WgGatewayClientTemplate{ObjectMeta: meta},
			} {
				if err := client.IgnoreAlreadyExists(leaf.Clients().Live.Create(t.Context(), template)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// withTemplates adds Liqo's own templates that are missing.
func withTemplates(objects []client.Object) []client.Object {
	for _, template := range []client.Object{ServerTemplate(), ClientTemplate()} {
		if !slices.ContainsFunc(objects, func(object client.Object) bool {
			return reflect.TypeOf(object) == reflect.TypeOf(template) &&
				client.ObjectKeyFromObject(object) == client.ObjectKeyFromObject(template)
		}) {
			objects = append(slices.Clip(objects), template)
		}
	}
	return objects
}

// embedded is a kind that the object in a template has here only. The fake client does not take it without one.
const embedded = "Embedded"

const (
	port       = "{{ .Spec.Endpoint.Port }}"
	address    = "--endpoint-address={{ index .Spec.Endpoint.Addresses 0 }}"
	firstPort  = "{{ if .Spec.Endpoint.Ports }}{{ index .Spec.Endpoint.Ports 0 }}{{ else }}" + port + "{{ end }}"
	multipath  = "--enable-multipath-hash-policy={{ gt (len .Spec.Endpoint.Ports) 1 }}"
	capability = "{{ if gt (len .Spec.Endpoint.Ports) 1 }}SYS_ADMIN{{ else }}NET_RAW{{ end }}"
)

// argument is the one with the ports of either end of a tunnel.
func argument(end string) string {
	return "{{ if gt (len .Spec.Endpoint.Ports) 0 }}--" + end + "-ports=" +
		"{{ range $i, $port := .Spec.Endpoint.Ports }}{{ if $i }},{{ end }}{{ $port }}{{ end }}" +
		"{{ else }}--" + end + "-port=" + port + "{{ end }}"
}

func serverTemplate(port string, args []any, capability string) *networkingv1beta1.WgGatewayServerTemplate {
	template := &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "wireguard-server",
	}}
	template.Spec.Template.Object = map[string]any{"kind": embedded, "spec": map[string]any{
		"service": map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{"speed": "slow", "template": "large"}},
			"spec": map[string]any{
				"type":            "{{ .Spec.Endpoint.ServiceType }}",
				"selector":        map[string]any{"networking.liqo.io/active": "true"},
				"?loadBalancerIP": "{{ .Spec.Endpoint.LoadBalancerIP }}",
				"ports": []any{map[string]any{
					"port": port, "protocol": "UDP", "targetPort": port, "?nodePort": "{{ .Spec.Endpoint.NodePort }}",
				}},
			},
		},
		"deployment": deployment(args, capability),
	}}
	return template
}

func clientTemplate(args []any, capability string) *networkingv1beta1.WgGatewayClientTemplate {
	template := &networkingv1beta1.WgGatewayClientTemplate{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "wireguard-client",
	}}
	template.Spec.Template.Object = map[string]any{
		"kind": embedded, "spec": map[string]any{"deployment": deployment(args, capability)},
	}
	return template
}

func deployment(args []any, capability string) map[string]any {
	return map[string]any{"spec": map[string]any{
		"replicas": int64(1),
		"selector": map[string]any{"matchLabels": map[string]any{"networking.liqo.io/gateway-name": "{{ .Name }}"}},
		"template": map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{
				"name": "wireguard", "args": args,
				"securityContext": map[string]any{"capabilities": map[string]any{"add": []any{"NET_ADMIN", capability}}},
			},
			map[string]any{"name": "gateway", "args": []any{"--leader-election=false"}},
		}}},
	}}
}
