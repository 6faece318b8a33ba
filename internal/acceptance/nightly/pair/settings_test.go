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
