package rights

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestAccNothingInTheExamplesOfRolesForPodsAndRulesIsSuperfluous(t *testing.T) {
	firewalls := []string{"firewallconfigurations.networking.liqo.io"}
	withPods := func(spec *shortcut.Spec) {
		pods := &liqo.PodSettings{Annotations: map[string]string{"example.com/a": "b"}}
		spec.Client.Pods, spec.Server.Pods = pods, pods
	}
	allowing := func(port int32) func(*shortcut.Spec) {
		return func(spec *shortcut.Spec) {
			spec.Allow = &shortcut.Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: port}}}
		}
	}
	onEachStage(t, func(s *stage) {
		limited := s.has(allowing(5432))
		s.needsEveryRight([]string{"pods", "allowed-traffic"}, []string{"shortcuts", "key-rotation"}, []use{
			{name: "settings of the gateways' pods", prepare: s.remove, do: connects(withPods),
				rights: of(templates, "create", "patch")},
			// Without these, nobody asks whether the Deployments would be refused.
			{name: "new gateways with settings of their pods", prepare: s.remove, do: connects(withPods), succeeds: true,
				rights: []string{"create deployments.apps"}},
			{name: "other settings of the gateways' pods", prepare: s.has(), do: connects(withPods), succeeds: true,
				rights: []string{"patch deployments.apps"}},
			{name: "a destroy of gateways with settings of their pods", do: disconnects,
				prepare: func() { s.remove(); s.has(withPods)() },
				rights:  of(templates, "delete")},
			{name: "a create with rules of what may cross", prepare: s.remove, do: connects(allowing(5432)),
				rights: of(firewalls, "create", "patch")},
			{name: "a look at rules that lasts", prepare: limited,
				do: looksForLong(&networkingv1beta1.FirewallConfiguration{}), rights: of(firewalls, "watch")},
			{name: "a refresh of rules on older API servers", prepare: limited, fault: withoutStreaming, do: observes,
				rights: of(firewalls, "list")},
			{name: "a change of rules", prepare: limited, do: connects(allowing(443)),
				rights: []string{"patch firewallconfigurations/status.networking.liqo.io"}},
			{name: "a removal of all rules", prepare: limited, do: connects(), rights: of(firewalls, "delete", "get")},
		})
	})
}
