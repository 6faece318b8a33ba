package acceptance

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

func TestAccAReplacementKeepsConfiguredValues(t *testing.T) {
	lab := borrowTopology(t)
	lab.have(t, "rome", namespaceNamed("shortcuts"))
	const settings = overNodePort + `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	replaced := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionReplace)},
	}
	t.Cleanup(func() { lab.command(t, "start-apiserver", "rome") })
	apply(t,
		resource.TestStep{Config: lab.between("milan", settings)},
		resource.TestStep{ // the plan continues without the leaf that does not answer
			PreConfig: func() { lab.command(t, "stop-apiserver", "rome") },
			Config:    lab.between("europe", settings), PlanOnly: true, ExpectNonEmptyPlan: true,
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "start-apiserver", "rome") },
			Config:    lab.between("europe", settings), ConfigPlanChecks: replaced,
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("client_namespace", knownvalue.StringExact("shortcuts")),
				keepsPodCIDR(romeMilan, "client_network", "10.202.64.0/18"),
			},
		},
		resource.TestStep{Config: lab.between("milan", settings), Destroy: true},
	)
}

func TestAccATunnelThatIsDownIsNotAChange(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() { lab.command(t, "set", "milan", "connect=true") })
	const unhurried = overNodePort + "\nwait_for_connection = false"
	down := []statecheck.StateCheck{expect("status", knownvalue.StringExact("Error"))}
	apply(t,
		resource.TestStep{
			Config:            lab.between("milan", overNodePort),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "set", "milan", "connect=false")
				await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", failed)
			},
			Config: lab.between("milan", overNodePort), ConfigStateChecks: down,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		// only a setting
		resource.TestStep{Config: lab.between("milan", unhurried), ConfigPlanChecks: inPlace(), ConfigStateChecks: down},
		resource.TestStep{Config: lab.between("milan", overNodePort), ConfigPlanChecks: inPlace(), ConfigStateChecks: down},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "set", "milan", "connect=true")
				lab.comesUp(t)
			},
			Config: lab.between("milan", overNodePort), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

// comesUp returns once both ends of the tunnel from Rome to Milan report it as up.
func (l *Lab) comesUp(t *testing.T) {
	t.Helper()
	up := func(connection *networkingv1beta1.Connection) bool {
		return connection.Status.Value == networkingv1beta1.Connected
	}
	await(t, l, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", up)
	await(t, l, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", up)
}

func TestAccAPlanHasUnknownValuesOnlyForAMissingConfiguration(t *testing.T) {
	lab := borrowLab(t)
	remapping := func(network string) tfjsonpath.Path { return tfjsonpath.New(network).AtMapKey("remapped_pod_cidrs") }
	known := func(network, podCIDR string) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(
			romeMilan, remapping(network), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(podCIDR)}),
		)
	}
	without := func(damage func(), checks ...plancheck.PlanCheck) resource.TestStep {
		return resource.TestStep{
			PreConfig: damage, Config: lab.contexts(shortcutRomeMilan),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: append(checks, plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionUpdate)),
			},
		}
	}
	apply(t,
		resource.TestStep{Config: lab.contexts(shortcutRomeMilan)},
		without(func() { lab.deleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{}) },
			known("client_network", "10.202.0.0/16"), known("server_network", "10.203.0.0/16")),
		// Rome's record of Milan's network
		without(func() { lab.deleteFromTenant(t, "rome", &networkingv1beta1.Configuration{}) },
			known("client_network", "10.202.0.0/16"), plancheck.ExpectUnknownValue(romeMilan, remapping("server_network"))),
	)
}

// planned plans shortcuts from Rome to Milan with these settings. The key says what is wrong with them. Each plan must
// fail with its message.
func (l *Lab) planned(t *testing.T, messages map[string]struct {
	settings string
	message  *regexp.Regexp
},
) {
	t.Helper()
	for name, test := range messages {
		t.Run(name, func(t *testing.T) {
			apply(t, resource.TestStep{Config: l.between("milan", test.settings), PlanOnly: true, ExpectError: test.message})
		})
	}
}

func TestAccAPlanFindsANetworkThatSomeoneElseMade(t *testing.T) {
	lab := borrowLab(t)
	opposite := lab.contexts(`
		resource "liqo_shortcut" "milan_rome" {
		  client = "milan"
		  server = "rome"
		}`)
	refused := message(`A network with "…" exists already on leaf "…"`, `…This provider did not make …; liqoctl or `+
		`another program did. Import that `+
		"network, set `adopt_existing = true` to take it over, or remove it first, for instance with `liqoctl "+
		"network reset`.")
	apply(t,
		resource.TestStep{
			PreConfig: lab.joinByHand(t, "rome", "milan"), Config: lab.contexts(shortcutRomeMilan), PlanOnly: true,
			ExpectError: refused,
		},
		resource.TestStep{Config: opposite, PlanOnly: true, ExpectError: refused},
		resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")},
	)
}

func TestAccAPlanWarnsOfAShortcutOfAnotherState(t *testing.T) {
	lab := borrowTopology(t)
	lab.have(t, "rome", namespaceNamed("shortcuts"))
	const inNamespace = overNodePort + "\n" + `client_namespace = "shortcuts"`
	first := lab.written(t, lab.between("milan", inNamespace))
	first.apply()

	second := lab.written(t, lab.between("milan", overNodePort))
	says(t, second.run("plan"), "1 to add", `Warning: A shortcut with "milan" exists already on `+
		`leaf "rome"`, "Another liqo_shortcut owns it",
		"This is only a warning, because the same apply may destroy the other resource")
	says(t, second.refused("apply", "-auto-approve"), `Error: A shortcut with "milan" exists already on leaf "rome"`)
	second.write("main.tf", lab.between("naples", inNamespace))
	says(
		t, second.refused("plan"), `Error: Namespace shortcuts has a gateway for another cluster on leaf "rome"`,
		"with liqo_shortcut.rome_milan",
	)
	second.write("main.tf", lab.contexts(""))

	first.write("main.tf", lab.contexts(`
		resource "liqo_shortcut" "renamed" {
		  client           = "rome"
		  server           = "milan"
		  server_gateway   = { service_type = "NodePort" }
		  client_namespace = "shortcuts"
		}`))
	says(t, first.run("plan"), "1 to add", "1 to destroy", "Warning: A shortcut with")
}

func TestAccAPlanFindsANamespaceThatCannotBeUsed(t *testing.T) {
	lab := borrowLab(t)
	lab.have(t, "rome", namespaceNamed("liqo-tenant-milan"))
	lab.planned(t, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"the tenant namespace's name is": {
			overNodePort, message(`Namespace liqo-tenant-milan is taken on `+
				`leaf "rome"`, `with liqo_shortcut.rome_milan,`),
		},
	})
}

func TestAccAPlanFindsANamespaceOfTwoShortcuts(t *testing.T) {
	lab := borrowTopology(t)
	lab.have(t, "rome", namespaceNamed("shortcuts"))
	apply(t, resource.TestStep{
		Config: lab.between("milan", overNodePort+"\n"+`client_namespace = "shortcuts"`) + `
			resource "liqo_shortcut" "naples_rome" {
			  client           = "naples"
			  server           = "rome"
			  server_namespace = "shortcuts"
			}`,
		PlanOnly: true,
		ExpectError: message(
			"The same namespace twice", "with liqo_shortcut.…",
			`…Another liqo_shortcut of this configuration already has namespace "shortcuts" of leaf "rome".`,
		),
	})
}

func TestAccAPlanFindsKeysThatCannotBeUsed(t *testing.T) {
	lab := borrowLab(t)
	lab.haveKeys(t, "rome", "my-keys")
	mixed := wireguardKeys(t, "default", "mixed-keys")
	mixed.Data["publicKey"] = wireguardKeys(t, "default", "others").Data["publicKey"]
	lab.have(t, "rome", mixed)
	keys := func(name, more string) string {
		return overNodePort + fmt.Sprintf("\nclient_gateway = { key_secret = %q }\n", name) + more
	}
	const own = `client_namespace = "default"`
	lab.planned(t, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"of two pairs": {keys("mixed-keys", own), message(`Secret default/mixed-keys has another public key ` +
			`on leaf "rome"`)},
		"in a tenant's own": {keys("my-keys", ""), message(`Secret liqo-tenant-milan/my-keys would be deleted with `+
			`the shortcut on leaf "rome"`, "…Set the namespace at this end (`client_namespace`")},
	})
	apply(
		t, resource.TestStep{Config: lab.between("milan", keys("my-keys", own)), PlanOnly: true, ExpectNonEmptyPlan: true},
	)
}

func TestAccAPlanWarnsOfMissingObjectsThatTheApplyMayCreate(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "missing", joining("s", "rome", "milan", `
		server_namespace = "nowhere"
		client_namespace = "default"
		client_gateway   = { key_secret = "no-keys" }`))
	destroyAtLast(p)
	const later = "This is only a warning, because the same apply may create it before the shortcut."
	says(
		t, p.run("plan"), `Warning: Namespace nowhere does not exist on leaf "milan"`,
		`Warning: Secret default/no-keys does not exist on leaf "rome"`, later,
	)
	says(t, p.refused("apply", "-auto-approve"), `Error: Namespace nowhere does not exist on leaf "milan"`)
}

func TestAccAPlanFindsASettingThatTheTemplateIgnores(t *testing.T) {
	lab := borrowLab(t)
	lab.copyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "fixed", "?loadBalancerIP", "?nodePort")
	lab.planned(t, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"the node port": {
			`server_gateway = { service_type = "NodePort", node_port = 31021, template = { name = "fixed" } }`,
			message("The template ignores node_port", "with liqo_shortcut.rome_milan,",
				`…The Service in template WgGatewayServerTemplate liqo/fixed on leaf "milan" does not use the `+
					`node port of `+
					"the gateway, so `node_port` would have no effect."),
		},
		"the address": {
			`server_gateway = { load_balancer_ip = "192.0.2.11", template = { name = "fixed" } }`,
			message("The template ignores load_balancer_ip"),
		},
	})
	apply(t, resource.TestStep{
		// Liqo's default template
		Config:   lab.between("milan", `server_gateway = { service_type = "NodePort", node_port = 31021 }`),
		PlanOnly: true, ExpectNonEmptyPlan: true,
	})
}

func TestAccAPlanFindsRangesThatLiqoCannotAssign(t *testing.T) {
	lab := borrowLab(t)
	lab.have(t, "rome", ipam("172.16.0.0/12,192.168.0.0/16"))
	const forbidden = overNodePort + "\n" + `cidr_remapping = "forbid"`
	lab.planned(t, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"outside its pools": {
			forbidden, message("Remapping is forbidden, and needed", `…The pod CIDR 10.203.0.0/16 of `+
				`"milan" is outside the ranges that Liqo on "rome" `+
				`gives out, 172.16.0.0/12 and 192.168.0.0/16: Liqo on "rome" remaps it.`),
		},
		"of IPv6": {
			overNodePort + "\n" + `server_network = { pod_cidrs = ["fd00:1::/64"] }`,
			message(
				`Liqo can't join the IPv6 range fd00:1::/64 on leaf "milan"`, "…The IPAM of Liqo gives out IPv4 "+
					"ranges only",
			),
		},
	})
	p := lab.written(t, lab.between("milan", overNodePort))
	says(t, p.run("plan"), "Warning: A pod CIDR will be remapped", "is outside the ranges that Liqo on "+
		"\"rome\" gives out")
}
