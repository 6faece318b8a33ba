package protocol

import (
	"fmt"
	"strings"
	"testing"
)

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
