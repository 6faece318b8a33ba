package faults

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccATunnelThatIsDownIsNotAChange(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	usual := lab.Between("milan", acctest.OverNodePort+acctest.InDefault)
	unhurried := lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nwait_for_connection = false")
	down := map[string]any{"status": "Error"}
	p := lab.Applied(t, usual)
	p.IsConnected()

	lab.Set(t, "milan", "connect=false")
	acctest.Await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", acctest.Failed)
	acctest.Says(t, p.Again(), acctest.Nothing)
	p.Is(acctest.RomeMilan, down)
	for _, setting := range []string{unhurried, usual} { // only a setting
		p.Becomes(setting, acctest.InPlace)
		p.Is(acctest.RomeMilan, down)
	}

	lab.Set(t, "milan", "connect=true")
	lab.ComesUp(t)
	acctest.Says(t, p.Again(), acctest.Nothing)
	p.IsConnected()
}

func TestAccATunnelMayStillComeUpAfterAnApplyWithoutWaiting(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Set(t, "milan", "connect=false")
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nwait_for_connection = false"))
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connecting"})
}
