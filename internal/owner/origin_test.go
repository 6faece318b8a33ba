package owner_test

import (
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAnOwnerIsNamedByItsOrigin(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 5, 6, 0, time.FixedZone("Rome", 3600))
	for expected, origin := range map[string]owner.Origin{
		"another resource of this provider": {},
		"alice@ci, in directory network, workspace prod, at 2026-11-21T04:05:06Z": {CreatedBy: "alice@ci", CreatedAt: at,
			Directory: "network", Workspace: "prod"},
		"in directory network": {Directory: "network"},
		"workspace prod":       {Workspace: "prod"},
	} {
		t.Run(expected, func(t *testing.T) {
			if got := origin.String(); got != expected {
				t.Errorf("got %q, expected %q", got, expected)
			}
		})
	}
}

func TestAForgedOriginIsShownInOneLine(t *testing.T) {
	forged := owner.Origin{CreatedBy: "alice\n\nRun this", Directory: "\x1b[2K", Workspace: "::add-mask::a"}
	if got := forged.String(); got != `alice\n\nRun this, in directory \x1b[2K, workspace :\x3aadd-mask::a` {
		t.Errorf("got %q", got)
	}
}
