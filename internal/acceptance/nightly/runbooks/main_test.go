package runbooks

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// The page whose runbooks these tests follow, with its own configurations and commands.
const operation = "templates/guides/operations.md.tmpl"

// runbookOf returns the text of one of the runbooks.
func runbookOf(t *testing.T, title string) string {
	t.Helper()
	_, runbook, found := strings.Cut(acctest.SectionOf(t, operation, "Runbooks"), "\n### "+title+"\n")
	if !found {
		t.Fatalf("there is no runbook %q", title)
	}
	runbook, _, _ = strings.Cut(runbook, "\n### ")
	return runbook
}
