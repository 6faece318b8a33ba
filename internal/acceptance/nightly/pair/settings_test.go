package pair

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAnApplyDoesNotWaitForKeysThatOthersProvide(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const keyless = acctest.OverNodePort + "\nshare_keys = false"
	acctest.Apply(t,
		resource.TestStep{Config: lab.Between("milan", keyless), ConfigStateChecks: []statecheck.StateCheck{
			acctest.Expect("status", knownvalue.StringExact("Connecting")),
			acctest.Check(func(ctx context.Context) (err error) {
				for _, cluster := range []string{"rome", "milan"} {
					var keys networkingv1beta1.PublicKeyList
					if failed := lab.Client(t, cluster).List(ctx, &keys); failed != nil || len(keys.Items) > 0 {
						err = errors.Join(err, failed, fmt.Errorf("%s has %d PublicKeys", cluster, len(keys.Items)))
					}
				}
				return err
			}),
		}},
		resource.TestStep{ // now the provider shares them
			Config: lab.Between("milan", acctest.OverNodePort), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccConfigurationsCanOutliveTheShortcut(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const disconnecting = acctest.OverNodePort + "\n" + `on_destroy = "disconnect"`
	acctest.Apply(t,
		resource.TestStep{Config: lab.Between("milan", disconnecting)},
		resource.TestStep{Config: lab.Contexts(""), ConfigStateChecks: []statecheck.StateCheck{
			lab.Has(t, "rome", &networkingv1beta1.ConfigurationList{}, ".spec.remote.cidr.pod[*]", "10.203.0.0/16"),
		}},
		resource.TestStep{
			Config: lab.Between("milan", acctest.OverNodePort),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionCreate),
			}},
		},
	)
}

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
