package versions

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	// oldestLiqo is the oldest version of Liqo without a known defect.
	oldestLiqo = "v1.0.1"
	// defectiveLiqo translates addresses in a wrong way.
	defectiveLiqo = "v1.0.0"
)

// oldAndNew has the options of a lab in which Rome has the oldest Liqo, and Milan the newest one.
var oldAndNew = []string{"--cluster=rome=10.202.0.0/16,liqo=" + oldestLiqo, "--cluster=milan=10.203.0.0/16"}

func TestAccMissingObjectsAreRepairedInPlaceWithTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	lab.Repaired(t, lab.MissingObjects(t)...)
}

func TestAccTheOldestLiqoCanBeTheServerOfTheNewest(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	from := func(settings string) string {
		return lab.Contexts("data \"liqo_topology\" \"all\" {}\n" + acctest.FromTo("rome_milan", "milan", "rome", settings))
	}
	serves := func(port, more string) string {
		return from(`server_gateway = { service_type = "NodePort", node_port = ` + port + " }\n" + more)
	}
	p := lab.Applied(t, serves("31000", ""))
	p.IsConnected()
	lab.AsLiqoSays(p, acctest.RomeMilan, "milan", "rome")
	p.Is("data.liqo_topology.all", map[string]any{"nodes.1.liqo_version": oldestLiqo})
	p.Becomes(serves("31001", "mtu = 1300"), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "mtu": 1300})
	acctest.Says(t, p.Refuses(from(`server_gateway = { service_annotations = { speed = "fast" } }`)),
		"Liqo "+oldestLiqo+" on this leaf can't set labels or annotations of a gateway's Service")
	for _, change := range []struct{ network, cidr, says string }{
		{"server_network", "10.202.0.0/17", acctest.InPlace}, // the newest Liqo follows
		{"client_network", "10.203.0.0/17", acctest.Replaced},
	} {
		p.Becomes(serves("31001", fmt.Sprintf("%s = { pod_cidrs = [%q] }", change.network, change.cidr)), change.says)
		p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", change.network + ".remapped_pod_cidrs.#": 1})
		lab.AsLiqoSays(p, acctest.RomeMilan, "milan", "rome")
	}
	former := p.Values(acctest.RomeMilan)
	p.Run("state", "rm", acctest.RomeMilan)
	p.Run("import", acctest.RomeMilan, "milan/rome")
	imported := p.Values(acctest.RomeMilan)
	for _, attribute := range []string{"owner_id", "on_destroy"} { // no leaf shows them
		delete(former, attribute)
		delete(imported, attribute)
	}
	if !reflect.DeepEqual(imported, former) {
		t.Errorf("it is imported as %v, not %v", imported, former)
	}
}

func TestAccOnlyOnePodCIDRIsAnnouncedToTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	const parts = `pod_cidrs = ["10.203.0.0/17", "10.203.128.0/18"]`
	config := lab.Between("milan", acctest.OverNodePort+"\n"+`server_network = { `+parts+` }`)
	acctest.Says(t, lab.Written(t, config).Refuses(config),
		"Liqo "+oldestLiqo+" on this leaf can reach only one pod CIDR of another cluster")
}
