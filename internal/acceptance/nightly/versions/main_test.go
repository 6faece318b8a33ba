package versions

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	// oldestLiqo is the oldest version of Liqo without a known defect.
	oldestLiqo = "v1.0.1"
	// defectiveLiqo translates addresses in a wrong way.
	defectiveLiqo = "v1.0.0"
)
