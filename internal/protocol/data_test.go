package protocol

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/zclconf/go-cty/cty"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestADataSourceShowsACluster(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, `data "liqo_cluster" "rome" { name = "rome" }`)
	p.plan()
	const rome = "data.liqo_cluster.rome"
	for attribute, expected := range map[string]string{
		"id": "rome", "kubernetes_version": "v1.35.4", "pod_cidrs": `["10.202.0.0/16"]`,
		"external_cidr": l.of("rome").ExternalCIDR, "internal_cidr": "10.80.0.0/16",
		"gateway_templates": `[{"name":"wireguard-server","namespace":"liqo",` +
			`"resource":"networking.liqo.io/v1beta1/wggatewayservertemplates","role":"server"},` +
			`{"name":"wireguard-client","namespace":"liqo",` +
			`"resource":"networking.liqo.io/v1beta1/wggatewayclienttemplates","role":"client"}]`,
	} {
		p.has(rome, expected, attribute)
	}
	if version := p.value(rome, "liqo_version"); !strings.HasPrefix(version, "v1.2.") {
		t.Errorf("the version of Liqo is %s", version)
	}
}

// shownShortcut is a data source that shows the network from Rome to Milan.
var shownShortcut = showing("x", "rome", "milan", "")

// showing returns a data source that shows a network, with more attributes.
func showing(name, client, server, more string) string {
	return fmt.Sprintf(`
		data "liqo_shortcut" %q {
		  client = %q
		  server = %q
		  %s
		}`, name, client, server, more)
}

func TestADataSourceWithoutKnownCredentialsSaysWhatToDo(t *testing.T) {
	l := leavesFor(t)
	const (
		provider = "provider \"liqo\" { config_path = var.kubeconfig }\n"
		unknown  = "Error: The credentials are not known yet"
	)
	p := l.project(t, provider+`data "liqo_cluster" "rome" { name = "rome" }`)
	p.unknown("kubeconfig", cty.StringVal(l.kubeconfig)).planFails(unknown, `name = "rome"`, "`depends_on`")
	p.configure(provider + `data "liqo_topology" "all" {}`)
	p.planFails(unknown, "with data.liqo_topology.all", "`depends_on`")
	// What is read after a change is read when the credentials are known.
	p.configure(provider + shortcut() + `
		data "liqo_cluster" "rome" {
		  name       = "rome"
		  depends_on = [liqo_shortcut.rome_milan]
		}`)
	p.applyOnce()
	p.has("data.liqo_cluster.rome", "rome", "id")
}

// draws fails the test unless the picture of a data source has all of these parts.
func (p *project) draws(address string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if text := p.value(address, "mermaid"); !strings.Contains(text, part) {
			p.t.Errorf("%q is missing in the picture of %s:\n%s", part, address, text)
		}
	}
}

// isRecent fails the test unless a data source shows a time of this test.
func (p *project) isRecent(address string, steps ...any) {
	p.t.Helper()
	shown, err := time.Parse(time.RFC3339, p.value(address, steps...))
	if err != nil || time.Since(shown) > time.Hour || time.Until(shown) > time.Minute {
		p.t.Errorf("%v of %s is %v (%v)", steps, address, shown, err)
	}
}

// network is how a leaf knows the network of another one: as Liqo has it, in the form of a shortcut's attribute.
func (l *leaves) network(at, of string) string {
	l.t.Helper()
	var list networkingv1beta1.ConfigurationList
	err := l.of(at).List(l.t.Context(), &list, client.MatchingLabels{consts.RemoteClusterID: of})
	if err != nil || len(list.Items) != 1 {
		l.t.Fatalf("%s has %d Configurations of %s (%v)", at, len(list.Items), of, err)
	}
	own, here := list.Items[0].Spec.Remote.CIDR, list.Items[0].Status.Remote.CIDR
	return fmt.Sprintf(`{"external_cidr":%q,"pod_cidrs":[%q],"remapped_external_cidr":%q,"remapped_pod_cidrs":[%q]}`,
		own.External[0], own.Pod[0], here.External[0], here.Pod[0])
}

// joinedByHand starts leaves with a network from Rome to Milan that shows no trace of the provider.
func joinedByHand(t *testing.T, words ...string) *leaves {
	t.Helper()
	l, _ := applied(t, shortcut(), words...)
	for at, gateway := range map[string]client.Object{
		"rome":  inTenant(&networkingv1beta1.GatewayClient{}, "milan"),
		"milan": inTenant(&networkingv1beta1.GatewayServer{}, "rome"),
	} {
		for _, one := range []client.Object{
			gateway, namespaceNamed(gateway.GetNamespace()),
			inTenant(&networkingv1beta1.Configuration{}, gateway.GetName()),
			inTenant(&networkingv1beta1.PublicKey{}, gateway.GetName()),
		} {
			l.patch(at, one, `{"metadata":{"annotations":null,"labels":{"app.kubernetes.io/managed-by":null}}}`)
		}
	}
	return l
}

// views are data sources that show a network between Rome and Milan in every way. After is their `depends_on`; it may
// be empty.
func views(after string) string {
	pairs := showing("rome_milan", "rome", "milan", after) + showing("milan_rome", "milan", "rome", after) +
		showing("rome_naples", "rome", "naples", after)
	return pairs + fmt.Sprintf(`
		data "liqo_shortcuts" "all" {
		  %[1]s
		}
		data "liqo_topology" "all" {
		  central = "europe"
		  %[1]s
		}`, after)
}

// ofRome is the topology of one cluster.
const ofRome = `
	data "liqo_topology" "rome" {
	  edges_of      = ["rome"]
	  problems_only = false
	}`

func TestDataSourcesShowANetworkWhoeverMadeIt(t *testing.T) {
	l := joinedByHand(t, topology...)
	p := l.project(t, views("")+ofRome)
	p.plan()
	const one, reversed, none, all, topology = "data.liqo_shortcut.rome_milan", "data.liqo_shortcut.milan_rome",
		"data.liqo_shortcut.rome_naples", "data.liqo_shortcuts.all", "data.liqo_topology.all"
	const endpoint = `{"addresses":["192.0.2.1"],"port":30000,"protocol":"UDP"}`
	for _, shown := range []struct {
		expected, address string
		steps             []any
	}{
		{"Connected", one, []any{"status"}},
		{"rome/milan", one, []any{"id"}},
		{"other", one, []any{"made_by"}},
		{"false", one, []any{"reversed"}},
		{"liqo-tenant-milan", one, []any{"client_namespace"}},
		{"liqo-tenant-rome", one, []any{"server_namespace"}},
		{"1340", one, []any{"mtu"}},
		{endpoint, one, []any{"server_endpoint"}},
		{l.network("milan", "rome"), one, []any{"client_network"}},
		{l.network("rome", "milan"), one, []any{"server_network"}},
		{"Connected", one, []any{"client_end", "status"}},
		{"Connected", one, []any{"server_end", "status"}},
		{"1", one, []any{"client_end", "latency_ms"}},

		{"Connected", reversed, []any{"status"}},
		{"true", reversed, []any{"reversed"}},
		{"milan", reversed, []any{"client_cluster_id"}},
		{endpoint, reversed, []any{"server_endpoint"}},
		{l.network("rome", "milan"), reversed, []any{"client_network"}},
		{l.network("milan", "rome"), reversed, []any{"server_network"}},

		{"Disconnected", none, []any{"status"}},
		{"rome/naples", none, []any{"id"}},
		{"false", none, []any{"reversed"}},
		{"null", none, []any{"made_by"}},
		{"null", none, []any{"mtu"}},
		{"null", none, []any{"server_endpoint"}},
		{"null", none, []any{"client_network"}},
		{"null", none, []any{"client_namespace"}},
		{"null", none, []any{"client_end", "latency_ms"}},
		{"[]", none, []any{"client_end", "gateway_pods"}},
		{"naples", none, []any{"server_cluster_id"}},
		{"Disconnected", none, []any{"server_end", "status"}},

		{"rome", all, []any{"shortcuts", 0, "client"}},
		{"milan", all, []any{"shortcuts", 0, "server"}},
		{"Connected", all, []any{"shortcuts", 0, "status"}},
		{"other", all, []any{"shortcuts", 0, "made_by"}},
		{"1", all, []any{"shortcuts", 0, "latency_ms"}},
		{endpoint, all, []any{"shortcuts", 0, "server_endpoint"}},
		{"[]", all, []any{"unreachable"}},

		{"true", topology, []any{"nodes", 0, "central"}},
		{"false", topology, []any{"nodes", 1, "central"}},
		{"Ready", topology, []any{"nodes", 0, "status"}},
		{"null", topology, []any{"nodes", 0, "error"}},
		{"NoLiqo", topology, []any{"nodes", 4, "status"}},
		{"rome", topology, []any{"edges", 0, "from"}},
		{"milan", topology, []any{"edges", 0, "to"}},
		{"shortcut", topology, []any{"edges", 0, "kind"}},
		{"false", topology, []any{"edges", 0, "both_ways"}},
		{"Connected", topology, []any{"edges", 0, "status"}},
		{"other", topology, []any{"edges", 0, "made_by"}},
		{"1", topology, []any{"edges", 0, "latency_ms"}},
		{"[]", topology, []any{"edges", 0, "services"}},
	} {
		p.has(shown.address, shown.expected, shown.steps...)
	}
	p.isRecent(one, "client_end", "latency_measured_at")
	p.isRecent(topology, "edges", 0, "latency_measured_at")
	for address, sizes := range map[string]map[string]int{
		all: {"shortcuts": 1}, topology: {"nodes": 5, "edges": 1}, "data.liqo_topology.rome": {"nodes": 2, "edges": 1},
	} {
		for attribute, size := range sizes {
			if got := at(p.shown[address], attribute).LengthInt(); got != size {
				t.Errorf("%s of %s has %d elements, not %d", attribute, address, got, size)
			}
		}
	}
	p.draws(topology, "flowchart LR\n", `n0(("europe"))`, `n3 ==>|"shortcut (not Terraform's)"| n1`,
		`n4["venice<br/>✗ no Liqo"]`)
	p.draws("data.liqo_topology.rome", `"2 of 5 clusters, 1 of 1 connection"`)

	p.configure(shortcut("mtu = 1400")+views("depends_on = ["+romeMilan+"]")).imports(romeMilan, "rome/milan")
	p.apply().does("update", romeMilan)
	p.has(one, "terraform-provider-liqo", "made_by")
	p.has(all, "terraform-provider-liqo", "shortcuts", 0, "made_by")
	p.draws(topology, `n3 ==>|"shortcut"| n1`)
}

func TestDataSourcesShowTheOtherClustersIfOneDoesNotAnswer(t *testing.T) {
	l, _ := applied(t, shortcut(), topology...)
	l.of("milan").Stop()
	defer l.of("milan").Start()
	const headline = `The API server can't be reached on leaf "milan"`

	p := l.project(t, `
		data "liqo_shortcuts" "all" {}
		data "liqo_topology" "all" {}`)
	p.plan().says("Warning: "+headline, "The result has the other clusters.").doesNotSay(`leaf "venice"`)
	const shortcuts, topology = "data.liqo_shortcuts.all", "data.liqo_topology.all"
	p.has(shortcuts, `["milan"]`, "unreachable")
	p.has(shortcuts, "rome", "shortcuts", 0, "client")
	p.has(shortcuts, "milan", "shortcuts", 0, "server")
	p.has(shortcuts, "Unknown", "shortcuts", 0, "status")
	for i, node := range []string{"europe Ready", "milan Unreachable", "naples Ready", "rome Ready", "venice NoLiqo"} {
		name, status, _ := strings.Cut(node, " ")
		p.has(topology, name, "nodes", i, "name")
		p.has(topology, status, "nodes", i, "status")
	}
	p.draws(topology, `n1["milan<br/>✗ unreachable"]`, `n3 -.->|"? shortcut: Unknown"| n1`)

	l.project(t, `data "liqo_cluster" "milan" { name = "milan" }`).planFails("Error: "+headline, `name = "milan"`)
	l.project(t, shownShortcut).planFails("Error: "+headline, `server = "milan"`)
}

func TestTheFunctionMeshMakesAMesh(t *testing.T) {
	l := leavesFor(t)
	names := cty.ListVal([]cty.Value{cty.StringVal("rome"), cty.StringVal("milan")})
	pairs := called(t, "mesh", cty.Map(cty.Map(cty.String)), names, cty.StringVal("rome")) // which can't be dialed
	if got := shown(pairs); got != `{"milan-rome":{"client":"rome","server":"milan"}}` {
		t.Fatalf("the mesh is %s", got)
	}
	p := l.project(t, shortcut())
	p.apply()
	network := at(p.instance(romeMilan).value, "server_network")
	address := called(t, "remap_ip", cty.String, cty.StringVal("10.203.1.7"), at(network, "pod_cidrs", 0),
		at(network, "remapped_pod_cidrs", 0))
	if got := shown(address); got != "10.203.1.7" {
		t.Errorf("Rome reaches Milan's pod at %s", got)
	}
	overlap := called(t, "cidrs_overlap", cty.Bool, cty.StringVal("10.203.0.0/16"), cty.StringVal("10.202.0.0/16"))
	if got := shown(overlap); got != "false" {
		t.Errorf("the pod CIDRs overlap: %s", got)
	}
}

// called calls a function of the provider, and returns its result, which is of this type.
func called(t *testing.T, name string, kind cty.Type, arguments ...cty.Value) cty.Value {
	t.Helper()
	request := &tfprotov6.CallFunctionRequest{Name: name}
	for _, argument := range arguments {
		request.Arguments = append(request.Arguments, sent(argument, argument.Type()))
	}
	answer, err := unconfigured().CallFunction(t.Context(), request)
	must(t, err)
	if answer.Error != nil {
		t.Fatal(answer.Error.Text)
	}
	return received(answer.Result, kind)
}
