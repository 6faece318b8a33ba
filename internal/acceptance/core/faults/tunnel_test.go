package faults

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccATunnelThatIsDownIsNotAChange(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "connect=true") })
	const (
		usual     = acctest.OverNodePort + acctest.InDefault
		unhurried = usual + "\nwait_for_connection = false"
	)
	down := []statecheck.StateCheck{acctest.Expect("status", knownvalue.StringExact("Error"))}
	acctest.Apply(
		t,
		resource.TestStep{
			Config:            lab.Between("milan", usual),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "connect=false")
				acctest.Await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", acctest.Failed)
			},
			Config: lab.Between("milan", usual), ConfigStateChecks: down,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		// only a setting
		resource.TestStep{
			Config:            lab.Between("milan", unhurried),
			ConfigPlanChecks:  acctest.InPlace(),
			ConfigStateChecks: down,
		},
		resource.TestStep{
			Config:            lab.Between("milan", usual),
			ConfigPlanChecks:  acctest.InPlace(),
			ConfigStateChecks: down,
		},
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "connect=true")
				lab.ComesUp(t)
			},
			Config: lab.Between("milan", usual), ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}
