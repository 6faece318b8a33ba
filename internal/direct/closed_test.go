package direct

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// limited returns a gateway, and the rules of what may cross that it names.
func limited(gateway client.Object, in, out []liqo.Rule) []client.Object {
	limits := liqo.Limits{
		In: in, Out: out, Own: []string{"10.0.0.0/16"}, Other: []string{"10.0.0.0/16"}, Nodes: "10.70.0.0",
	}
	cluster.SetAnnotation(gateway, liqo.LimitsAnnotation, "rules")
	rules := &networkingv1beta1.FirewallConfiguration{ObjectMeta: named(gateway.GetNamespace(), "rules")}
	rules.Labels[consts.RemoteClusterID] = cluster.RemoteID(gateway)
	limits.WriteTo(rules, "rules")
	return []client.Object{gateway, rules}
}

// onPorts returns the pods of the Service with a port of TCP and one of UDP.
func onPorts() *discoveryv1.EndpointSlice {
	s := slice("web-0", map[string]string{"web-rome": "10.0.1.5", "web-milan": "10.0.2.5"})
	s.Ports = []discoveryv1.EndpointPort{
		{Port: new(int32(8080))}, {Port: new(int32(5300)), Protocol: new(corev1.ProtocolUDP)},
	}
	return s
}

func TestPortsOfAServiceThatMayNotCrossAreFoundAtTheGatewayThatDropsTheirConnections(t *testing.T) {
	http, dns := liqo.Rule{Protocol: liqo.TCP, Port: 8000, EndPort: 8080}, liqo.Rule{Protocol: liqo.UDP, Port: 5300}
	elsewhere := liqo.Rule{CIDRs: []string{"10.0.3.0/24"}}
	both := []liqo.Rule{http, dns}
	for name, test := range map[string]struct {
		inRome, inMilan []client.Object
		closed          []string // headlines
		says            string   // a part of the first text
	}{
		"no limits": {},
		"both ports": {
			limited(clustertest.GatewayClient("milan"), both, both), limited(clustertest.GatewayServer("rome", 1), both, both),
			nil, "",
		},
		"everything": {
			limited(clustertest.GatewayClient("milan"), []liqo.Rule{{}}, []liqo.Rule{{}}),
			limited(clustertest.GatewayServer("rome", 1), []liqo.Rule{{}}, []liqo.Rule{{}}), nil, "",
		},
		"one port to the server": {
			limited(clustertest.GatewayClient("milan"), both, []liqo.Rule{http}),
			limited(clustertest.GatewayServer("rome", 1), []liqo.Rule{http}, both),
			[]string{`connections of Service shop/web from "rome" are dropped on leaf "milan"`},
			"Add `{ to = \"server\", protocol = \"UDP\", port = 5300 }`",
		},
		"other pods of the client": {
			limited(clustertest.GatewayClient("milan"), []liqo.Rule{elsewhere}, both),
			limited(clustertest.GatewayServer("rome", 1), both, []liqo.Rule{elsewhere}),
			[]string{`connections of Service shop/web from "milan" are dropped on leaf "rome"`},
			"No rule there allows TCP port 8080 of pods in \"rome\", such as pod web-rome at 10.0.1.5.",
		},
		"only the end that asks": {
			limited(clustertest.GatewayClient("milan"), both, []liqo.Rule{dns}), nil,
			[]string{`connections of Service shop/web from "rome" are dropped on leaf "rome"`},
			"Add `{ to = \"server\", protocol = \"TCP\", port = 8080 }`",
		},
		"nothing": {
			limited(clustertest.GatewayClient("milan"), nil, nil), limited(clustertest.GatewayServer("rome", 1), nil, nil),
			[]string{
				`connections of Service shop/web from "rome" are dropped on leaf "milan"`,
				`connections of Service shop/web from "milan" are dropped on leaf "rome"`,
			}, "restricts traffic",
		},
	} {
		t.Run(name, func(t *testing.T) {
			centre := clustertest.Leaf(t, "europe", virtualNode("rome"), virtualNode("milan"), namespaceMap("rome"),
				namespaceMap("milan"), onPorts(), web(asked))
			state, err := of(centre, rome(t, append(test.inRome, joined("milan"))...),
				milan(t, append(test.inMilan, joined("rome"))...)).Observe(t.Context())
			if err != nil || state.LimitsUnread != nil {
				t.Fatal(name, err, state.LimitsUnread)
			}
			var headlines []string
			for _, problem := range state.Closed {
				headlines = append(headlines, problem.Headline())
			}
			if got, expected := strings.Join(headlines, "; "), strings.Join(test.closed, "; "); got != expected {
				t.Errorf("got %s", got)
			} else if expected != "" && !strings.Contains(state.Closed[0].Detail(), test.says) {
				t.Error(state.Closed[0].Detail())
			}
		})
	}
}
