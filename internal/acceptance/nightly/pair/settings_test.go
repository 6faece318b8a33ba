package pair

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnUpdateThatDoesNotWaitForTheTunnelStillWaitsForTheGatewaysToRestart(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() {
		lab.Command(t, "set", "milan", "pull-image=true")
		lab.Command(t, "set", "milan", "connect=true")
	})
	withMTU := func(mtu int) string {
		return lab.Between("milan", fmt.Sprintf(`%s
			mtu                 = %d
			wait_for_connection = false
			timeouts            = { update = %q }`, acctest.OverNodePort, mtu, acctest.Ample))
	}
	gatewaysRun := acctest.Check(func(ctx context.Context) error {
		for _, name := range []string{"rome", "milan"} {
			var pods corev1.PodList
			gateways := client.MatchingLabels{"networking.liqo.io/component": "gateway"}
			if err := lab.Client(t, name).List(ctx, &pods, gateways); err != nil {
				return err
			}
			if len(pods.Items) != 1 || !pods.Items[0].Status.ContainerStatuses[0].Ready {
				return fmt.Errorf("the pods of the gateway of %s are %+v", name, pods.Items)
			}
		}
		return nil
	})
	acctest.Apply(t,
		resource.TestStep{Config: withMTU(1340)},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "set", "milan", "pull-image=false") },
			Config:    withMTU(1300),
			ExpectError: acctest.Message(`The gateway's image can't be pulled on leaf "milan"`,
				`Time ran out while waiting for …the gateway to restart on "milan".`),
		},
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "connect=false")
				lab.Command(t, "set", "milan", "pull-image=true")
			},
			Config: withMTU(1400), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{lab.GatewaysHaveMTU(t, 1400), gatewaysRun},
		},
	)
}
