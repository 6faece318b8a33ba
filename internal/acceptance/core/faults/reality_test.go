package faults

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAShortcutWithoutAnyObjectIsCreatedAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(acctest.ShortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
					tenant := acctest.NamespaceNamed("liqo-tenant-" + of)
					acctest.Must(t, acctest.DeleteAndWait(t.Context(), lab.Client(t, at), tenant))
					acctest.Await(t, lab, at, &liqov1beta1.ForeignClusterList{}, of,
						func(record *liqov1beta1.ForeignCluster) bool {
							return !record.Status.Modules.Networking.Enabled // before that, Liqo would create its record again
						})
					record := &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: of}}
					acctest.Must(t, lab.Client(t, at).Delete(t.Context(), record))
				}
			},
			Config: lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionCreate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccAShortcutWithOnlyItsNamespacesIsRepaired(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(acctest.ShortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				for _, cluster := range []string{"rome", "milan"} {
					for _, object := range []client.Object{
						&networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
					} {
						lab.DeleteFromTenant(t, cluster, object)
					}
				}
			},
			Config: lab.Contexts(acctest.ShortcutRomeMilan), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccALeafThatCannotBeReachedLosesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	acctest.Apply(t,
		resource.TestStep{
			Config:            lab.Contexts(acctest.ShortcutInDefault),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "stop-apiserver", "milan") },
			Config:    lab.Contexts(acctest.ShortcutInDefault),
			PlanOnly:  true, // the refresh warns, and the plan is empty
		},
		resource.TestStep{
			Config:      lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nmtu = 1400"),
			ExpectError: regexp.MustCompile(`(?s)The API server can't be reached on leaf "milan"`),
		},
		resource.TestStep{
			PreConfig:         func() { lab.Command(t, "start-apiserver", "milan") },
			Config:            lab.Contexts(acctest.ShortcutInDefault),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccATunnelMayStillComeUpAfterAnApplyWithoutWaiting(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Command(t, "set", "milan", "connect=false")
	t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
	unhurried := lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nwait_for_connection = false")
	acctest.Apply(t,
		resource.TestStep{Config: unhurried, ConfigStateChecks: []statecheck.StateCheck{
			acctest.Expect("status", knownvalue.StringExact("Connecting")),
		}},
		resource.TestStep{Config: unhurried, PlanOnly: true},
	)
}
