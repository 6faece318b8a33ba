package acceptance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// views are data sources that show a network between Rome and Milan in every way. After is their `depends_on`; it may
// be empty.
func views(after string) string {
	return fmt.Sprintf(`
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		  %[1]s
		}
		data "liqo_shortcut" "milan_rome" {
		  client = "milan"
		  server = "rome"
		  %[1]s
		}
		data "liqo_shortcut" "rome_naples" {
		  client = "rome"
		  server = "naples"
		  %[1]s
		}
		data "liqo_shortcuts" "all" {
		  %[1]s
		}
		data "liqo_topology" "all" {
		  central = "europe"
		  %[1]s
		}`, after)
}

// fleetViews are topologies with groups, as a summary, and of one cluster.
const fleetViews = `
	data "liqo_topology" "summary" {
	  central   = "europe"
	  groups    = { rome = "South", "na*" = "South", "m*" = "North" }
	  max_edges = 0
	}
	data "liqo_topology" "rome" {
	  edges_of      = ["rome"]
	  problems_only = false
	}`

// shows checks an attribute of a data source. The steps lead to a nested value: names of attributes, and indices of
// lists.
func shows(source string, value knownvalue.Check, attribute string, steps ...any) statecheck.StateCheck {
	path := tfjsonpath.New(attribute)
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			path = path.AtSliceIndex(step)
		case string:
			path = path.AtMapKey(step)
		}
	}
	return statecheck.ExpectKnownValue("data."+source, path, value)
}

func exactly(text string) knownvalue.Check { return knownvalue.StringExact(text) }

// contains checks that a text contains all of these parts.
func contains(parts ...string) knownvalue.Check {
	return knownvalue.StringFunc(func(text string) error {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return fmt.Errorf("%q is missing in:\n%s", part, text)
			}
		}
		return nil
	})
}

// recent checks that a time is in the last few minutes.
func recent() knownvalue.Check {
	return knownvalue.StringFunc(func(text string) error {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || time.Since(at) > time.Hour || time.Until(at) > time.Minute {
			return fmt.Errorf("%s is not recent (%w)", text, err)
		}
		return nil
	})
}

func TestAccADataSourceShowsACluster(t *testing.T) {
	lab := borrowLab(t)
	const rome = "liqo_cluster.rome"
	template := func(name, resource, role string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"name": exactly(name), "namespace": exactly("liqo"), "resource": exactly("networking.liqo.io/v1beta1/" + resource),
			"role": exactly(role),
		})
	}
	apply(t, resource.TestStep{
		Config: lab.contexts(`data "liqo_cluster" "rome" { name = "rome" }`),
		ConfigStateChecks: []statecheck.StateCheck{
			shows(rome, exactly("rome"), "id"),
			shows(rome, knownvalue.StringRegexp(regexp.MustCompile(`^v1\.2\.\d`)), "liqo_version"),
			shows(rome, knownvalue.StringRegexp(regexp.MustCompile(`^v1\.\d+\.\d+`)), "kubernetes_version"),
			shows(rome, knownvalue.ListExact([]knownvalue.Check{exactly("10.202.0.0/16")}), "pod_cidrs"),
			shows(rome, exactly("10.70.0.0/16"), "external_cidr"),
			shows(rome, different("10.70.0.0/16"), "internal_cidr"),
			shows(rome, knownvalue.ListExact([]knownvalue.Check{
				template("wireguard-server", "wggatewayservertemplates", "server"),
				template("wireguard-client", "wggatewayclienttemplates", "client"),
			}), "gateway_templates"),
		},
	})
}

func TestAccDataSourcesShowANetworkWhoeverMadeIt(t *testing.T) {
	lab := borrowTopology(t)
	const one, reversed, none, all, topology = "liqo_shortcut.rome_milan", "liqo_shortcut.milan_rome",
		"liqo_shortcut.rome_naples", "liqo_shortcuts.all",
		"liqo_topology.all"
	address, yes, no, null := exactly(lab.nodeAddress(t, "milan")), knownvalue.Bool(true), knownvalue.Bool(false),
		knownvalue.Null()
	const ours = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  adopt_existing = true
		}`
	apply(t,
		resource.TestStep{
			PreConfig: lab.joinByHand(t, "rome", "milan"),
			Config:    lab.contexts(views("") + fleetViews),
			ConfigStateChecks: []statecheck.StateCheck{
				shows(one, connected, "status"), shows(one, exactly("rome/milan"), "id"), shows(one, exactly("other"), "made_by"),
				shows(one, no, "reversed"),
				shows(one, exactly("liqo-tenant-milan"), "client_namespace"),
				shows(one, exactly("liqo-tenant-rome"), "server_namespace"),
				shows(one, knownvalue.Int32Exact(1340), "mtu"), shows(one, address, "server_endpoint", "addresses", 0),
				lab.asLiqoSays(t, "data."+one, "rome", "milan"),
				shows(one, connected, "client_end", "status"), shows(one, connected, "server_end", "status"),
				shows(one, knownvalue.Float64Exact(1), "client_end", "latency_ms"),
				shows(one, recent(), "client_end", "latency_measured_at"),
				shows(one, contains("gw-milan-"), "client_end", "gateway_pods", 0, "name"),
				shows(one, contains("gw-rome-"), "server_end", "gateway_pods", 0, "name"),
				shows(one, knownvalue.NotNull(), "server_end", "gateway_pods", 0, "node"),

				shows(reversed, connected, "status"), shows(reversed, yes, "reversed"),
				shows(reversed, exactly("milan"), "client_cluster_id"),
				shows(reversed, address, "server_endpoint", "addresses", 0), lab.asLiqoSays(t, "data."+reversed, "milan", "rome"),

				shows(none, exactly("Disconnected"), "status"), shows(none, null, "made_by"), shows(none, null, "mtu"),
				shows(none, null, "server_endpoint"),
				shows(none, null, "client_network"), shows(none, null, "client_namespace"),
				shows(none, null, "client_end", "latency_ms"),
				shows(none, exactly("naples"), "server_cluster_id"), shows(none, exactly("Disconnected"), "server_end", "status"),

				shows(all, knownvalue.ListSizeExact(1), "shortcuts"), shows(all, exactly("rome"), "shortcuts", 0, "client"),
				shows(all, exactly("milan"), "shortcuts", 0, "server"), shows(all, connected, "shortcuts", 0, "status"),
				shows(all, no, "shortcuts", 0, "managed"), shows(all, exactly("other"), "shortcuts", 0, "made_by"),
				shows(all, knownvalue.Float64Exact(1), "shortcuts", 0, "latency_ms"),
				shows(all, address, "shortcuts", 0, "server_endpoint", "addresses", 0),
				shows(all, knownvalue.ListSizeExact(0), "unreachable"),

				shows(topology, knownvalue.ListSizeExact(5), "nodes"), shows(topology, yes, "nodes", 0, "central"),
				shows(topology, no, "nodes", 1, "central"),
				shows(topology, exactly(lab.cluster(t, "europe").LiqoVersion), "nodes", 0, "liqo_version"),
				shows(topology, exactly("Ready"), "nodes", 0, "status"), shows(topology, null, "nodes", 0, "error"),
				shows(topology, exactly("NoLiqo"), "nodes", 4, "status"),
				shows(topology, contains(`no Liqo in namespace "liqo"`), "nodes", 4, "error"),
				shows(topology, knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
					"kind": exactly("shortcut"), "from": exactly("rome"), "to": exactly("milan"), "both_ways": no,
					"status": connected, "made_by": exactly("other"),
					"latency_ms": knownvalue.Float64Exact(1), "latency_measured_at": recent(),
					"services": knownvalue.ListSizeExact(0),
				})}), "edges"),
				shows(
					topology,
					contains(
						"flowchart LR\n", `n0(("europe"))`, `n3 ==>|"shortcut (not Terraform's)"| n1`, `n4["venice<br/>✗ no Liqo"]`,
					),
					"mermaid",
				),
				shows("liqo_topology.summary", knownvalue.ListSizeExact(5), "nodes"),
				shows("liqo_topology.summary", exactly("South"), "nodes", 2, "group"),
				shows("liqo_topology.summary", null, "nodes", 4, "group"),
				shows("liqo_topology.summary", contains(
					`centre(("europe"))`, `g0[["without a group<br/>1 cluster, ✗ 1 not ready"]]`, `g1[["North<br/>1 cluster"]]`,
					`g2[["South<br/>2 clusters"]]`, `g1 ===|"1 shortcut"| g2`, `"Summary of 5 clusters, 1 connection"`,
				), "mermaid"),
				shows("liqo_topology.rome", knownvalue.ListSizeExact(2), "nodes"),
				shows("liqo_topology.rome", knownvalue.ListSizeExact(1), "edges"),
				shows("liqo_topology.rome", contains(`"2 of 5 clusters, 1 of 1 connection"`), "mermaid"),
				shows(topology, contains("digraph liqo {\n", `n3 -> n1 [label="shortcut (not Terraform's)", penwidth=2]`), "dot"),
			},
		},
		resource.TestStep{
			Config: lab.contexts(ours + views("depends_on = [liqo_shortcut.rome_milan]")),
			ConfigStateChecks: []statecheck.StateCheck{
				shows(one, exactly("terraform-provider-liqo"), "made_by"), shows(all, yes, "shortcuts", 0, "managed"),
				shows(topology, contains(`n3 ==>|"shortcut"| n1`), "mermaid"),
			},
		},
	)
}

// shownBy returns a configuration with only data sources and their outputs.
func (l *Lab) shownBy(t *testing.T, config string) *project {
	t.Helper()
	p := l.newProject(t, t.TempDir())
	p.write("main.tf", l.contexts(config))
	p.run("init")
	return p
}

func TestAccATopologyShowsABrokenLink(t *testing.T) {
	lab := borrowTopology(t)
	apply(t,
		resource.TestStep{
			PreConfig:         lab.joinByHand(t, "rome", "milan"),
			Config:            lab.contexts(views("")),
			ConfigStateChecks: []statecheck.StateCheck{shows("liqo_topology.all", contains(`n3 ==>|`), "mermaid")},
		},
		resource.TestStep{
			PreConfig: func() {
				broken := lab.connectionBreaks(t, "rome")
				lab.command(t, "set", "milan", "connect=false")
				t.Cleanup(func() { lab.command(t, "set", "milan", "connect=true") })
				<-broken
			},
			Config: lab.contexts(views("")),
			ConfigStateChecks: []statecheck.StateCheck{
				shows("liqo_shortcut.rome_milan", exactly("Error"), "status"),
				shows("liqo_shortcut.rome_milan", exactly("Error"), "client_end", "status"),
				shows("liqo_shortcut.rome_milan", knownvalue.Null(), "client_end", "latency_ms"),
				shows("liqo_topology.all", exactly("Error"), "edges", 0, "status"),
				shows("liqo_topology.all", knownvalue.Null(), "edges", 0, "latency_measured_at"),
				shows(
					"liqo_topology.all", contains(`n3 -.->|"✗ shortcut (not Terraform's): Error"| n1`, "linkStyle 0 stroke:red"),
					"mermaid",
				),
			},
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "connect=true") },
			Config:    lab.between("milan", overNodePort+"\nadopt_existing = true"),
		},
	)
}

func TestAccDataSourcesShowTheOtherClustersIfOneDoesNotAnswer(t *testing.T) {
	lab := borrowTopology(t)
	p := lab.shownBy(t, `
		data "liqo_shortcuts" "all" {}
		data "liqo_topology" "all" {}
		output "unreachable" { value = data.liqo_shortcuts.all.unreachable }
		output "shortcuts" { value = [for s in data.liqo_shortcuts.all.shortcuts : "${s.client} ${s.server} ${s.status}"] }
		output "nodes" { value = [for n in data.liqo_topology.all.nodes : "${n.name} ${n.status}"] }
		output "mermaid" { value = data.liqo_topology.all.mermaid }`)
	single := lab.shownBy(t, `data "liqo_cluster" "milan" { name = "milan" }`)
	pair := lab.shownBy(t, `
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		}`)
	apply(t,
		resource.TestStep{
			PreConfig: lab.joinByHand(t, "rome", "milan"),
			Config:    lab.between("milan", overNodePort+"\nadopt_existing = true"),
		},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "stop-apiserver", "milan")
				defer lab.command(t, "start-apiserver", "milan")
				output := p.run("apply", "-auto-approve")
				says(t, output, `Warning: The API server can't be reached on leaf "milan"`, "The result has the other clusters.",
					`unreachable = tolist([ "milan", ])`, `shortcuts = [ "rome milan Unknown", ]`,
					`nodes = [ "europe Ready", "milan Unreachable", "naples Ready", "rome Ready", "venice NoLiqo", ]`,
					`n1["milan<br/>✗ unreachable"]`, `n3 -.->|"? shortcut: Unknown"| n1`)
				doesNotSay(t, output, `leaf "venice"`)
				says(t, single.refused("plan"), `Error: The API server can't be reached on leaf "milan"`, `name = "milan"`)
				says(t, pair.refused("plan"), `Error: The API server can't be reached on leaf "milan"`, `server = "milan"`)
			},
			Config: lab.between("milan", overNodePort+"\nadopt_existing = true"),
		},
	)
}

func TestAccADataSourceThatCannotBeReadIsAnErrorAtItsAttribute(t *testing.T) {
	lab := borrowTopology(t)
	for name, test := range map[string]struct {
		config  string
		message *regexp.Regexp
	}{
		"a cluster without Liqo": {
			`data "liqo_cluster" "x" { name = "venice" }`,
			regexp.MustCompile(`(?s)No Liqo in namespace "liqo" on leaf "venice".*name = "venice"`),
		},
		"an unknown name": {
			`data "liqo_topology" "x" { clusters = ["rome", "turin"] }`,
			regexp.MustCompile(`(?s)Unknown leaf turin.*clusters = \["rome", "turin"\]`),
		},
		"a central cluster that is not shown": {
			"data \"liqo_topology\" \"x\" {\nclusters = [\"rome\"]\ncentral = \"europe\"\n}",
			regexp.MustCompile(`(?s)Not one of the clusters.*central = "europe"`),
		},
		"one cluster twice": {
			"data \"liqo_shortcut\" \"x\" {\nclient = \"rome\"\nserver = \"rome\"\n}",
			regexp.MustCompile(`(?s)The same leaf twice.*server = "rome"`),
		},
		"no time at all": {
			"data \"liqo_cluster\" \"x\" {\nname = \"rome\"\ntimeouts = { read = \"0s\" }\n}",
			regexp.MustCompile(`Timeout must be positive`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			apply(t, resource.TestStep{Config: lab.contexts(test.config), PlanOnly: true, ExpectError: test.message})
		})
	}
}

func TestAccADataSourceWithoutKnownCredentialsSaysWhatToDo(t *testing.T) {
	lab := borrowLab(t)
	provider := func(more string) string {
		return fmt.Sprintf(`
			resource "terraform_data" "kubeconfig" {
			  input = %q
			}
			provider "liqo" {
			  config_path = terraform_data.kubeconfig.output
			}
			%s`, lab.Kubeconfig, more)
	}
	apply(t,
		resource.TestStep{
			Config:      provider(`data "liqo_cluster" "rome" { name = "rome" }`),
			ExpectError: regexp.MustCompile("(?s)The credentials are not known yet.*name = \"rome\".*`depends_on`"),
		},
		resource.TestStep{
			Config:      provider(`data "liqo_topology" "all" {}`),
			ExpectError: regexp.MustCompile("(?s)The credentials are not known yet.*`depends_on`"),
		},
		resource.TestStep{
			Config: provider(`
				data "liqo_cluster" "rome" {
				  name       = "rome"
				  depends_on = [terraform_data.kubeconfig]
				}`),
			ConfigStateChecks: []statecheck.StateCheck{shows("liqo_cluster.rome", exactly("rome"), "id")},
		},
	)
}

func TestAccTheFunctionMeshMakesAMesh(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{
			Config: lab.contexts(`
				resource "liqo_shortcut" "mesh" {
				  for_each       = provider::liqo::mesh(["rome", "milan"])
				  client         = each.value.client
				  server         = each.value.server
				  server_gateway = { service_type = "NodePort" }
				}
				output "a_pod_of_milan" {
				  value = provider::liqo::remap_ip("10.203.1.7", liqo_shortcut.mesh["rome-milan"].server_network.pod_cidrs[0],
				    liqo_shortcut.mesh["rome-milan"].server_network.remapped_pod_cidrs[0])
				}
				output "overlap" {
				  value = provider::liqo::cidrs_overlap("10.203.0.0/16", "10.202.0.0/16")
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(`liqo_shortcut.mesh["rome-milan"]`, tfjsonpath.New("status"), connected),
				statecheck.ExpectKnownOutputValue("a_pod_of_milan", exactly("10.203.1.7")),
				statecheck.ExpectKnownOutputValue("overlap", knownvalue.Bool(false)),
			},
		},
		resource.TestStep{Config: lab.contexts("")}, // the test framework can't destroy resources with for_each
	)
}
