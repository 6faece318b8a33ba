package packets

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The client dials the node with the server's pod.
func TestAccPacketsCrossAfterTheServersPodHasMovedToAnotherNode(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.TwoNodes)
	on := func(node string) string {
		return fmt.Sprintf(`
			server_gateway = {
			  service_type = "NodePort"
			  pods         = { node_selector = { "kubernetes.io/hostname" = %q } }
			}`, node)
	}
	p := lab.Join(t, "milan", on("milan-node"))
	for _, node := range []string{"milan-node-2", "milan-node"} {
		p.Configure(on(node))
		p.Update()
		p.Works()
		p.Run("plan", "-detailed-exitcode") // the client dials the address that the server has now
	}
}
