package pair

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnUpdateThatDoesNotWaitForTheTunnelStillWaitsForTheGatewaysToRestart(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	withMTU := func(mtu int) string {
		return lab.Between("milan", fmt.Sprintf(`%s
			mtu                 = %d
			wait_for_connection = false
			timeouts            = { update = %q }`, acctest.OverNodePort, mtu, acctest.Ample))
	}
	p := lab.Applied(t, withMTU(1340))
	lab.Set(t, "milan", "pull-image=false")
	acctest.Explains(t, p.Refuses(withMTU(1300)), `The gateway's image can't be pulled on leaf "milan"`,
		`Time ran out while waiting for …the gateway to restart on "milan".`)
	lab.Set(t, "milan", "connect=false", "pull-image=true")
	p.Write("main.tf", withMTU(1400))
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	for _, name := range []string{"rome", "milan"} {
		var pods corev1.PodList
		gateways := client.MatchingLabels{"networking.liqo.io/component": "gateway"}
		acctest.Must(t, lab.Client(t, name).List(t.Context(), &pods, gateways))
		if len(pods.Items) != 1 || !pods.Items[0].Status.ContainerStatuses[0].Ready {
			t.Errorf("the pods of the gateway of %s are %+v", name, pods.Items)
		}
	}
	lab.GatewaysHaveMTU(t, 1400)
	p.Unchanged()
}
