package packets

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// Liqo learns of a new pod long after its tunnel is up.
func TestAccPacketsCrossRightAfterAChangeAlthoughPodsAreReportedLate(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	for _, leaf := range []string{"rome", "milan"} {
		lab.Command(t, "set", leaf, "gateway-reported-after=2s")
		t.Cleanup(func() { lab.Command(t, "set", leaf, "gateway-reported-after=0s") })
	}
	for _, mtu := range []int{1300, 1310, 1320} {
		p.Configure(acctest.OverNodePort + fmt.Sprintf("\nmtu = %d", mtu))
		p.Update()
		lab.Reaches(t, "rome", p.ServerAt)
		lab.Reaches(t, "milan", p.RomeAt)
	}
}
