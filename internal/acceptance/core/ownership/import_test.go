package ownership

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccHalfANetworkIsImportedAndTheNextApplyCompletesIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: func() {
				lab.JoinByHand(t, "rome", "milan")()
				for _, kind := range []client.Object{
					&networkingv1beta1.PublicKey{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.Configuration{},
				} {
					lab.DeleteFromTenant(t, "milan", kind)
				}
			},
			Config: lab.Contexts(acctest.ShortcutRomeMilan), ResourceName: acctest.RomeMilan, ImportState: true,
			ImportStateId: "rome/milan", ImportStatePersist: true,
		},
		resource.TestStep{
			Config: lab.Contexts(acctest.ShortcutRomeMilan), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, acctest.Expect("server_namespace", knownvalue.StringExact("liqo-tenant-rome")),
				lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
			},
		},
	)
}
