package pair

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// planned plans shortcuts from Rome to Milan with these settings. The key says what is wrong with them. Each plan must
// fail with its message.
func planned(t *testing.T, l *acctest.Lab, messages map[string]struct {
	settings string
	message  *regexp.Regexp
},
) {
	t.Helper()
	for name, test := range messages {
		t.Run(name, func(t *testing.T) {
			acctest.Apply(t,
				resource.TestStep{Config: l.Between("milan", test.settings), PlanOnly: true, ExpectError: test.message})
		})
	}
}

func TestAccAPlanFindsKeysThatCannotBeUsed(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.HaveKeys(t, "rome", "my-keys")
	mixed := acctest.WireguardKeys(t, "default", "mixed-keys")
	mixed.Data["publicKey"] = acctest.WireguardKeys(t, "default", "others").Data["publicKey"]
	lab.Have(t, "rome", mixed)
	keys := func(name, more string) string {
		return acctest.OverNodePort + fmt.Sprintf("\nclient_gateway = { key_secret = %q }\n", name) + more
	}
	const own = `client_namespace = "default"`
	planned(t, lab, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"of two pairs": {keys("mixed-keys", own), acctest.Message(`Secret default/mixed-keys has another public key ` +
			`on leaf "rome"`)},
		"in a tenant's own": {
			keys("my-keys", ""),
			acctest.Message(`Secret liqo-tenant-milan/my-keys would be deleted with `+
				`the shortcut on leaf "rome"`, "…Set the namespace at this end (`client_namespace`"),
		},
	})
	acctest.Apply(
		t, resource.TestStep{Config: lab.Between("milan", keys("my-keys", own)), PlanOnly: true, ExpectNonEmptyPlan: true},
	)
}

func TestAccAPlanFindsASettingThatTheTemplateIgnores(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.CopyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "fixed", "?loadBalancerIP", "?nodePort")
	planned(t, lab, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"the node port": {
			`server_gateway = { service_type = "NodePort", node_port = 31021, template = { name = "fixed" } }`,
			acctest.Message("The template ignores node_port", "with liqo_shortcut.rome_milan,",
				`…The Service in template WgGatewayServerTemplate liqo/fixed on leaf "milan" does not use the `+
					`node port of `+
					"the gateway, so `node_port` would have no effect."),
		},
		"the address": {
			`server_gateway = { load_balancer_ip = "192.0.2.11", template = { name = "fixed" } }`,
			acctest.Message("The template ignores load_balancer_ip"),
		},
	})
	acctest.Apply(t, resource.TestStep{
		// Liqo's default template
		Config:   lab.Between("milan", `server_gateway = { service_type = "NodePort", node_port = 31021 }`),
		PlanOnly: true, ExpectNonEmptyPlan: true,
	})
}

func TestAccAPlanFindsRangesThatLiqoCannotAssign(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Have(t, "rome", ipam("172.16.0.0/12,192.168.0.0/16"))
	const forbidden = acctest.OverNodePort + "\n" + `cidr_remapping = "forbid"`
	planned(t, lab, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"outside its pools": {
			forbidden, acctest.Message("Remapping is forbidden, and needed", `…The pod CIDR 10.203.0.0/16 of `+
				`"milan" is outside the ranges that Liqo on "rome" `+
				`gives out, 172.16.0.0/12 and 192.168.0.0/16: Liqo on "rome" remaps it.`),
		},
		"of IPv6": {
			acctest.OverNodePort + "\n" + `server_network = { pod_cidrs = ["fd00:1::/64"] }`,
			acctest.Message(
				`Liqo can't join the IPv6 range fd00:1::/64 on leaf "milan"`, "…The IPAM of Liqo gives out IPv4 "+
					"ranges only",
			),
		},
	})
	p := lab.Written(t, lab.Between("milan", acctest.OverNodePort))
	acctest.Says(t, p.Run("plan"), "Warning: A pod CIDR will be remapped", "is outside the ranges that Liqo on "+
		"\"rome\" gives out")
}
