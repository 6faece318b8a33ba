package peerings

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// peered has the options of a lab in which Europe consumes resources of Rome and Milan, with peerings made by liqoctl.
var peered = []string{
	"--peer=europe=rome", "--peer=europe=milan",
	"--cluster=europe=10.200.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
}
