package protocol

import (
	"fmt"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// idOf returns the object in which Liqo on a leaf keeps the ID of its cluster.
func (l *leaves) idOf(name string) *corev1.ConfigMap {
	l.t.Helper()
	var found corev1.ConfigMapList
	err := l.of(name).List(l.t.Context(), &found, client.InNamespace("liqo"),
		client.MatchingLabelsSelector{Selector: consts.ClusterIDConfigMapSelector()})
	if err != nil || len(found.Items) != 1 {
		l.t.Fatalf("%d ConfigMaps have the ID of %s (%v)", len(found.Items), name, err)
	}
	return &found.Items[0]
}

// call gives a leaf another cluster ID.
func (l *leaves) call(name, id string) {
	l.t.Helper()
	l.patch(name, l.idOf(name), fmt.Sprintf(`{"data":{%q:%q}}`, consts.ClusterIDConfigMapKey, id))
}

func TestLiqoThatIsInstalledAgainKeepsItsNetworks(t *testing.T) {
	l, p := applied(t, shortcut())
	id := l.idOf("milan")
	l.lose("milan", id)
	id.ResourceVersion, id.UID = "", ""
	l.have("milan", id)
	p.plan().isEmpty()
	p.applyOnce()
	p.has(romeMilan, string(id.UID), "server_cluster_uid")
}

func TestALeafWithAReinstalledLiqoIsAnotherCluster(t *testing.T) {
	l, p := applied(t, shortcut())
	l.lose("milan", namespaceNamed("liqo-tenant-rome"))
	l.lose("milan", &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: "rome"}})
	l.call("milan", "milan-2")
	p.planFails("Error: Another cluster", `The name "milan" refers to cluster "milan-2"`, "right ones.",
		"Nothing is changed. If this leaf is gone for good, apply `abandon_lost_cluster = true`.")

	p.configure(forced).applyOnce().does("update", romeMilan) // it only gives the former cluster up
	p.apply().does("replace", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "milan-2", "server_cluster_id")
	p.has(romeMilan, "rome/milan-2", "id")
	p.has(romeMilan, "liqo-tenant-milan-2", "client_namespace")
	p.configure(shortcut()).apply().does("update", romeMilan)
}

const (
	turinsKey  = "liqo_public_key.turin"
	keyOfTurin = `public_key = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
)

// withTurinsKey is a resource of one end on a leaf.
func withTurinsKey(leaf string) string { return endAt(turinsKey, leaf, "turin", keyOfTurin) }

func TestResourcesOfOneEndOnAClusterThatIsGoneAreForgottenOnDemand(t *testing.T) {
	l, p := applied(t, withTurinsKey("milan"))
	l.lose("milan", namespaceNamed("liqo-tenant-turin"))
	l.call("milan", "milan-2")
	advice := []string{
		"Error: Another cluster", "If it is gone for good, remove the resource from the state with `terraform state rm`",
	}
	p.applyFails(advice...)
	p.destroyFails(advice...)
	p.forget(turinsKey)
	p.apply().does("create", turinsKey)
	p.has(turinsKey, "milan-2", "cluster_id")
}

func TestAResourceOfOneEndFollowsItsLeafToAnotherName(t *testing.T) {
	l := leavesFor(t)
	uno, due := l.known(map[string]string{"uno": "milan"}), l.known(map[string]string{"due": "milan"})
	p := l.project(t, uno+withTurinsKey("uno"))
	p.apply()
	p.configure(due + withTurinsKey("uno"))
	p.planFails("Error: Unknown leaf uno", "Set `cluster = \"due\"`. This changes nothing on any leaf.")
	p.configure(due+withTurinsKey("tre")).planFails("Error: Unknown leaf tre", "Set `cluster = \"due\"`.")
	p.configure(due+withTurinsKey("due")).apply().does("update", turinsKey)
}

// known returns a provider block with only these leaves: a name for each context.
func (l *leaves) known(contexts map[string]string) string {
	var entries strings.Builder
	for name, context := range contexts {
		fmt.Fprintf(&entries, "%q = { config_path = %q, config_context = %q }\n", name, l.kubeconfig, context)
	}
	return "provider \"liqo\" {\n  clusters = {\n" + entries.String() + "}\n}\n"
}

func TestALeafCanBeRenamed(t *testing.T) {
	l := leavesFor(t)
	calls := func(name, client string) string {
		return l.known(map[string]string{name: "rome", "milan": "milan"}) + fromTo(client, "milan", overNodePort)
	}
	p := l.project(t, calls("uno", "uno"))
	p.apply()

	p.configure(calls("due", "uno"))
	p.planFails("Error: Unknown leaf uno", `client = "uno"`, `There is no leaf with the name "uno". Cluster "rome", `+
		"the client of this resource, has the name \"due\" now. Set `client = \"due\"`. This changes nothing on any leaf.")
	p.configure(calls("due", "due"))
	l.writes() // only later ones
	p.apply().does("update", romeMilan)
	l.writesNothing()
	p.has(romeMilan, "due", "client")
	p.has(romeMilan, "rome/milan", "id")
	p.has(romeMilan, "Connected", "status")

	l.of("rome").Stop() // no cluster confirms the next name
	p.configure(calls("tre", "tre")).applyFails(`Error: The API server can't be reached on leaf "tre"`)
	l.of("rome").Start()
	p.apply().does("update", romeMilan)
}

func TestARecordedClusterIsFoundAlthoughItsNameRefersToAnother(t *testing.T) {
	l := leavesFor(t, topology...)
	before := l.known(map[string]string{"uno": "rome", "milan": "milan"}) + fromTo("uno", "milan", overNodePort)
	after := l.known(map[string]string{"uno": "europe", "due": "rome", "milan": "milan"})
	p := l.project(t, before)
	p.apply()

	p.configure(after + fromTo("uno", "milan", overNodePort))
	p.planFails("Error: Another cluster", `The name "uno" refers to cluster "europe"`, "That cluster has the name "+
		"\"due\" now. Nothing is changed. To keep the resource, set `client = \"due\"`. To move it to the other cluster, "+
		"destroy it first.")
	l.of("rome").Stop() // a silent leaf under another name is not gone
	p.destroyFails("Error: Another cluster", `It may be one of the leaves that did not answer: ["due"].`)
	p.has(romeMilan, "rome/milan", "id")
	l.of("rome").Start()
	p.configure(after+fromTo("due", "milan", overNodePort)).apply().does("update", romeMilan)
	p.has(romeMilan, "rome", "client_cluster_id")
	p.configure(before) // the former names again
	p.apply().does("update", romeMilan)
}

// knowingRoma returns a provider block in which Rome has a second name.
func (l *leaves) knowingRoma() string { return l.listing(`roma = { config_context = "rome" }`) }

func TestAnotherNameForTheSameClusterIsNoReplacement(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, l.knowingRoma()+shortcut())
	p.apply()
	p.configure(l.knowingRoma() + fromTo("roma", "milan", overNodePort))
	p.apply().does("update", romeMilan).doesNotSay("Warning")
}

// listing returns a provider block with these entries of `clusters`.
func (l *leaves) listing(entries string) string {
	return fmt.Sprintf("provider \"liqo\" {\n  config_path = %q\n  clusters = { %s }\n}\n", l.kubeconfig, entries)
}

var emptyCredential = []string{
	"Error: Empty value", `clusters["rome"].config_content is empty. Set a value, or remove the attribute.`,
}

func TestAnEmptyCredentialIsRejectedDuringTheApply(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, l.listing(`rome = { config_content = var.kubeconfig }`)+shortcut())
	p.unknown("kubeconfig", cty.StringVal("")).applyFails(emptyCredential...)
}

func TestAnEntryWithoutCredentialsIsTheContextWithItsName(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, l.listing("rome = { liqo_namespace = \"liqo\" }\n milan = {}")+shortcut())
	p.apply()
	p.has(romeMilan, "rome", "client_cluster_id")
	p.has(romeMilan, "milan", "server_cluster_id")
}

func TestCredentialsThatAreKnownOnlyAfterAnApplyDoNotFailThePlan(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, "provider \"liqo\" { config_path = var.kubeconfig }"+shortcut())
	p.unknown("kubeconfig", cty.StringVal(l.kubeconfig))
	p.applyOnce().does("create", romeMilan).doesNotSay("The plan has not looked at a leaf")
	p.unknown("kubeconfig", cty.StringVal(l.kubeconfig))
	p.plan().says("Warning: The plan has not looked at a leaf", `The credentials of "rome" and "milan" are known only`,
		"`replace_triggered_by`")
	p.set("kubeconfig", cty.StringVal(l.kubeconfig)).plan().isEmpty()
}
