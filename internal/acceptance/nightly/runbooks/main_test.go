package runbooks

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// The pages that these tests follow, with their own configurations and commands.
const (
	operations = "templates/guides/operations.md.tmpl"
	runbooks   = "templates/guides/runbooks.md.tmpl"
)
