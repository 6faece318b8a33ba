//go:build lab

package limits

import (
	"fmt"

	"testing"

	"github.com/google/nftables"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	liqofirewall "github.com/liqotech/liqo/pkg/firewall"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/remapping"
	"github.com/vishvananda/netlink"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// The devices of a gateway: to the other gateway, to the nodes of its leaf, and to everything else.
const tunnel, node, uplink = "liqo-tunnel", "liqo.node", "eth0"

// gateway is a host with Liqo's controller of firewalls.
type gateway struct {
	*host
	controller *liqofirewall.FirewallConfigurationReconciler
}

func newGateway(t *testing.T, name string) *gateway {
	t.Helper()
	g := &gateway{host: newHost(t, name)}
	scheme := runtime.NewScheme()
	g.must(networkingv1beta1.AddToScheme(scheme))
	conn, err := nftables.New(nftables.WithNetNSFd(int(g.ns)))
	g.must(err)
	g.controller = &liqofirewall.FirewallConfigurationReconciler{
		PodName: name, NftConnection: conn, Scheme: scheme, EventsRecorder: &record.FakeRecorder{},
		Client: fake.NewClientBuilder().WithScheme(scheme).
			WithStatusSubresource(&networkingv1beta1.FirewallConfiguration{}).Build(),
	}
	g.set("ipv4/ip_forward", "1")
	for _, devices := range []string{"all", "default"} { // as Liqo's gateway
		g.set("ipv4/conf/"+devices+"/rp_filter", "0")
	}
	return g
}

// apply lets Liqo write the table of a FirewallConfiguration into the kernel.
func (g *gateway) apply(rules *networkingv1beta1.FirewallConfiguration) {
	g.t.Helper()
	for i := range rules.Spec.Table.Chains { // Liqo's webhook gives names to rules without one
		for j := range rules.Spec.Table.Chains[i].Rules.NatRules {
			if rule := &rules.Spec.Table.Chains[i].Rules.NatRules[j]; rule.Name == nil {
				rule.Name = new(fmt.Sprint(j))
			}
		}
	}
	key := client.ObjectKeyFromObject(rules)
	before := &networkingv1beta1.FirewallConfiguration{}
	if g.controller.Get(g.t.Context(), key, before) == nil {
		g.must(g.controller.Delete(g.t.Context(), before))
		rules.ResourceVersion = ""
	}
	g.must(g.controller.Create(g.t.Context(), rules))
	_, err := g.controller.Reconcile(g.t.Context(), ctrl.Request{NamespacedName: key})
	g.must(err)
}

// limit lets the gateway enforce limits.
func (g *gateway) limit(limits liqo.Limits) {
	g.t.Helper()
	rules := &networkingv1beta1.FirewallConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "allow"}}
	limits.WriteTo(rules, "allow")
	g.apply(rules)
}

// remap lets Liqo translate the range of the other leaf's pods.
func (g *gateway) remap(from, to networkingv1beta1.CIDR) {
	g.t.Helper()
	configuration := &networkingv1beta1.Configuration{ObjectMeta: metav1.ObjectMeta{
		Namespace: "tenant", Name: "other", Labels: map[string]string{"liqo.io/remote-cluster-id": "other"},
	}}
	configuration.Spec.Remote.CIDR.Pod = []networkingv1beta1.CIDR{from}
	configuration.Status.Remote = &networkingv1beta1.ClusterConfig{
		CIDR: networkingv1beta1.ClusterConfigCIDR{Pod: []networkingv1beta1.CIDR{to}},
	}
	g.must(remapping.CreateOrUpdateNatMappingCIDR(g.t.Context(), g.controller.Client,
		&remapping.Options{DefaultInterfaceName: uplink}, configuration, g.controller.Scheme, remapping.PodCIDR))
	var made networkingv1beta1.FirewallConfigurationList
	g.must(g.controller.List(g.t.Context(), &made))
	g.apply(&made.Items[0])
}

// restart forgets all connections, as a new pod does.
func (g *gateway) restart() {
	g.t.Helper()
	g.must(g.net.ConntrackTableFlush(netlink.ConntrackTable))
}
