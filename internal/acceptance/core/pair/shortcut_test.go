package pair

import (
	"fmt"
	"strconv"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccAShortcutOverANodePortIsCreatedChangedAndRemoved(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort))
	p.Is(acctest.RomeMilan, map[string]any{
		"status": "Connected", "id": "rome/milan", "client_cluster_id": "rome", "server_cluster_id": "milan",
		"client_namespace": "liqo-tenant-milan", "server_namespace": "liqo-tenant-rome", "mtu": 1340,
		"server_endpoint": map[string]any{
			"addresses": []string{lab.NodeAddress(t, "milan")}, "port": p.Value(acctest.RomeMilan, "server_endpoint.port"),
			"protocol": "UDP",
		},
	})
	isNodePort(p)
	lab.AsLiqoSays(p, acctest.RomeMilan, "rome", "milan")

	p.Becomes(lab.Between("milan", `
		mtu            = 1400
		server_gateway = { service_type = "NodePort", node_port = 31000 }`), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "mtu": 1400, "server_endpoint.port": 31000})
	lab.GatewaysHaveMTU(t, 1400)
}

func TestAccAShortcutOverALoadBalancerIsCreatedChangedAndRemoved(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Between("milan", ""))
	p.Is(acctest.RomeMilan, map[string]any{
		"status": "Connected", "server_gateway.service_type": "LoadBalancer", "server_endpoint.port": 51840,
	})
	p.Becomes(lab.Between("milan", acctest.OverNodePort), acctest.InPlace)
	p.IsConnected()
	isNodePort(p)
	p.Becomes(lab.Between("milan", "server_gateway = { port = 51900 }"), acctest.InPlace)
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connected", "server_endpoint.port": 51900})
}

func TestAccTheClientCanDialAnotherAddress(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	dials := func(address string, port int, more string) string {
		return lab.Between("milan", fmt.Sprintf(`
			server_gateway = { service_type = "NodePort", node_port = 31001 }
			client_gateway = { server_address = %q, server_port = %d }
			%s`, address, port, more))
	}
	node := lab.NodeAddress(t, "milan")
	isDialled := func(p *acctest.Project, address string, port int) {
		t.Helper()
		lab.Has(t, "rome", &networkingv1beta1.GatewayClientList{}, ".spec.endpoint['addresses','port']",
			fmt.Sprintf("[%q] %d", address, port))
		p.Is(acctest.RomeMilan, map[string]any{
			"server_endpoint.addresses": []string{node}, "server_endpoint.port": 31001,
		})
	}
	// A name and a port that only Rome uses, and that do not work yet.
	p := lab.Applied(t, dials("milan.example.com", 41000, "wait_for_connection = false"))
	isDialled(p, "milan.example.com", 41000)
	p.Becomes(dials(node, 31001, ""), acctest.InPlace)
	isDialled(p, node, 31001)
	p.IsConnected()
}

// isNodePort fails the test unless the shortcut's server is reached at a port of Kubernetes's usual range.
func isNodePort(p *acctest.Project) {
	p.T.Helper()
	port, err := strconv.Atoi(fmt.Sprint(p.Value(acctest.RomeMilan, "server_endpoint.port")))
	if err != nil || port < 30000 || port > 32767 {
		p.T.Errorf("%d is not a node port (%v)", port, err)
	}
}
