package direct

import (
	"slices"
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
	s := podsOfWeb()
	s.Ports = []discoveryv1.EndpointPort{
		{Port: new(int32(8080))}, {Port: new(int32(5300)), Protocol: new(corev1.ProtocolUDP)},
	}
	return s
}

func TestPortsOfAServiceThatMayNotCrossAreFoundAtTheGatewayThatDropsTheirConnections(t *testing.T) {
	http, dns := liqo.Rule{Protocol: liqo.TCP, Port: 8000, EndPort: 8080}, liqo.Rule{Protocol: liqo.UDP, Port: 5300}
	elsewhere := liqo.Rule{CIDRs: []string{"10.0.3.0/24"}}
	both := []liqo.Rule{http, dns}
	anything := []liqo.Rule{{}}
	inRome := func(in, out []liqo.Rule) []client.Object { return limited(clustertest.GatewayClient("milan"), in, out) }
	inMilan := func(in, out []liqo.Rule) []client.Object {
		return limited(clustertest.GatewayServer("rome", 1), in, out)
	}
	for name, test := range map[string]struct {
		inRome, inMilan []client.Object
		closed          []string // headlines
		says            string   // a part of the first text
	}{
		"no limits":  {},
		"both ports": {inRome: inRome(both, both), inMilan: inMilan(both, both)},
		"everything": {inRome: inRome(anything, anything), inMilan: inMilan(anything, anything)},
		"one port to the server": {
			inRome(both, []liqo.Rule{http}), inMilan([]liqo.Rule{http}, both),
			[]string{`connections of Service shop/web from "rome" are dropped on leaf "milan"`},
			"Add `{ to = \"server\", protocol = \"UDP\", port = 5300 }`",
		},
		"other pods of the client": {
			inRome([]liqo.Rule{elsewhere}, both), inMilan(both, []liqo.Rule{elsewhere}),
			[]string{`connections of Service shop/web from "milan" are dropped on leaf "rome"`},
			"No rule there allows TCP port 8080 of pods in \"rome\", such as pod web-rome at 10.0.1.5.",
		},
		"only the end that asks": {
			inRome(both, []liqo.Rule{dns}), nil,
			[]string{`connections of Service shop/web from "rome" are dropped on leaf "rome"`},
			"Add `{ to = \"server\", protocol = \"TCP\", port = 8080 }`",
		},
		"nothing": {
			inRome(nil, nil), inMilan(nil, nil),
			[]string{
				`connections of Service shop/web from "rome" are dropped on leaf "milan"`,
				`connections of Service shop/web from "milan" are dropped on leaf "rome"`,
			}, "restricts traffic",
		},
	} {
		t.Run(name, func(t *testing.T) {
			centre := clustertest.Leaf(t, "europe", inEurope(web(asked), onPorts())...)
			state, err := of(centre, rome(t, append(test.inRome, joined("milan"))...),
				milan(t, append(test.inMilan, joined("rome"))...)).Observe(t.Context())
			if err != nil || state.LimitsUnread != nil {
				t.Fatal(err, state.LimitsUnread)
			}
			var headlines []string
			for _, problem := range state.Closed {
				headlines = append(headlines, problem.Headline())
			}
			if !slices.Equal(headlines, test.closed) {
				t.Errorf("got %q", headlines)
			} else if len(test.closed) > 0 {
				clustertest.Has(t, state.Closed[0].Detail(), test.says)
			}
		})
	}
}
