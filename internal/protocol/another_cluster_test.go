package protocol

import (
	"fmt"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
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
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	former := l.idOf("milan")
	again := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: former.Namespace, Name: former.Name, Labels: former.Labels},
		Data:       former.Data,
	}
	l.lose("milan", former)
	l.have("milan", again)
	p.plan().isEmpty()
	p.applyOnce()
	p.has(romeMilan, string(again.UID), "server_cluster_uid")
}

func TestALeafWithAReinstalledLiqoIsAnotherCluster(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	l.lose("milan", namespaceNamed("liqo-tenant-rome"))
	l.lose("milan", &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: "rome"}})
	l.call("milan", "milan-2")
	p.planFails("Error: Another cluster", `The name "milan" refers to cluster "milan-2"`, "right ones.",
		"Nothing is changed. If this leaf is gone for good, apply `abandon_lost_cluster = true`.")

	p.configure(forced)
	p.applyOnce().does("update", romeMilan) // it only gives the former cluster up
	p.apply().does("replace", romeMilan)
	for attribute, expected := range map[string]string{
		"status": "Connected", "server_cluster_id": "milan-2", "id": "rome/milan-2",
		"client_namespace": "liqo-tenant-milan-2",
	} {
		p.has(romeMilan, expected, attribute)
	}
	p.configure(between("milan", overNodePort))
	p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
}

const (
	turinsKey  = "liqo_public_key.turin"
	keyOfTurin = `public_key = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
)

// withTurinsKey is a resource of one end on a leaf.
func withTurinsKey(leaf string) string { return endAt(turinsKey, leaf, "turin", keyOfTurin) }

func TestResourcesOfOneEndOnAClusterThatIsGoneAreForgottenOnDemand(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, withTurinsKey("milan"))
	p.apply()
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
	p.configure(due + withTurinsKey("tre"))
	p.planFails("Error: Unknown leaf tre", "Set `cluster = \"due\"`.")
	p.configure(due + withTurinsKey("due"))
	p.apply().does("update", turinsKey)
}

func TestASilentLeafUnderAnotherNameIsNotGone(t *testing.T) {
	l := leavesFor(t, topology...)
	before := l.known(map[string]string{"uno": "rome", "due": "milan"})
	after := l.known(map[string]string{"uno": "europe", "due": "milan", "tre": "rome"})
	p := l.project(t, before+fromTo("uno", "due", overNodePort))
	p.apply()
	p.configure(after + fromTo("uno", "due", overNodePort))
	p.applyFails("Error: Another cluster",
		"That cluster has the name \"tre\" now. Nothing is changed. To keep the resource, set `client = \"tre\"`.")
	l.of("rome").Stop()
	p.destroyFails("Error: Another cluster", `It may be one of the leaves that did not answer: ["tre"].`)
	p.has(romeMilan, "rome/milan", "id")
	l.of("rome").Start()
	p.configure(after + fromTo("tre", "due", overNodePort))
	p.apply().does("update", romeMilan)
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
	if written := l.writes(); len(written) > 0 {
		t.Errorf("the provider has sent %v", written)
	}
	p.has(romeMilan, "due", "client")
	p.has(romeMilan, "rome/milan", "id")
	p.has(romeMilan, "Connected", "status")

	l.of("rome").Stop() // no cluster confirms the next name
	p.configure(calls("tre", "tre"))
	p.applyFails(`Error: The API server can't be reached on leaf "tre"`)
	l.of("rome").Start()
	p.apply().does("update", romeMilan)
}

func TestARecordedClusterIsFoundAlthoughItsNameRefersToAnother(t *testing.T) {
	l := leavesFor(t, topology...)
	before := l.known(map[string]string{"uno": "rome", "milan": "milan"})
	after := l.known(map[string]string{"uno": "europe", "due": "rome", "milan": "milan"})
	p := l.project(t, before+fromTo("uno", "milan", overNodePort))
	p.apply()

	p.configure(after + fromTo("uno", "milan", overNodePort))
	p.planFails("Error: Another cluster", `The name "uno" refers to cluster "europe"`, "That cluster has the name "+
		"\"due\" now. Nothing is changed. To keep the resource, set `client = \"due\"`. To move it to the other cluster, "+
		"destroy it first.")
	p.configure(after + fromTo("due", "milan", overNodePort))
	p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "rome", "client_cluster_id")
	p.configure(before + fromTo("uno", "milan", overNodePort)) // the former names again
	p.apply().does("update", romeMilan)
}

// knowingRoma returns a provider block in which Rome has a second name.
func (l *leaves) knowingRoma() string {
	return fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		  clusters    = { roma = { config_context = "rome" } }
		}`, l.kubeconfig)
}

func TestAnotherNameForTheSameClusterIsNoReplacement(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, l.knowingRoma()+fromTo("rome", "milan", overNodePort))
	p.apply()
	p.has(romeMilan, "Connected", "status")

	p.configure(l.knowingRoma() + fromTo("roma", "milan", overNodePort))
	renamed := p.apply()
	renamed.does("update", romeMilan)
	renamed.doesNotSay("Warning")
}

func TestAnotherClusterIsAReplacement(t *testing.T) {
	l := leavesFor(t, topology...)
	p := l.project(t, between("milan", overNodePort))
	p.apply()

	p.configure(between("europe", overNodePort))
	replaced := p.apply()
	replaced.does("replace", romeMilan)
	replaced.says(`The resource is for cluster "milan"`, `but the name "europe" refers to cluster "europe"`,
		"So the plan replaces the resource.")
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "rome/europe", "id")
}

func TestAPlanFails(t *testing.T) {
	l := leavesFor(t, topology...)
	for name, test := range map[string]struct {
		config  string
		message []string
	}{
		"for a name that is neither a cluster nor a context": {
			l.knowingRoma() + fromTo("rome", "turin", ""),
			[]string{
				"Error: Unknown leaf turin", romeMilan, `"roma"`, `"europe", "milan", "naples", "rome", "venice"`, "#leaf-unknown",
			},
		},
		"for one cluster under two names": {
			l.knowingRoma() + fromTo("rome", "roma", ""),
			[]string{"Error: The same leaf twice", `both refer to cluster "rome"`},
		},
		"for a cluster without Liqo": {
			l.knowingRoma() + fromTo("rome", "venice", ""),
			[]string{`Error: No Liqo in namespace "liqo" on leaf "venice"`, "Install Liqo", "#liqo-missing"},
		},
	} {
		t.Run(name, func(t *testing.T) { l.project(t, test.config).planFails(test.message...) })
	}
}
