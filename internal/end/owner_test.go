package end

import (
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAnOwnerIsNamedByItsOrigin(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 5, 6, 0, time.FixedZone("Rome", 3600))
	for expected, origin := range map[string]Origin{
		"another resource of this provider": {},
		"alice@ci, in folder network, workspace prod, at 2026-11-21T04:05:06Z": {Who: "alice@ci", Folder: "network",
			Workspace: "prod", At: at},
		"in folder network": {Folder: "network"},
		"workspace prod":    {Workspace: "prod"},
	} {
		if got := origin.String(); got != expected {
			t.Errorf("got %q, expected %q", got, expected)
		}
	}
}

func TestANewObjectIsTheOwners(t *testing.T) {
	gateway := clustertest.GatewayServer("rome", 51840)
	gateway.UID = "gateway"
	server := milansEnd(t, gateway)
	server.Owner = me
	if _, err := server.EnsurePublicKey(t.Context(), make([]byte, 32), EnsuredGateway{Object: gateway}); err != nil {
		t.Fatal(err)
	}
	if _, err := server.EnsureGatewayServer(t.Context(), "liqo-tenant-rome", overNodePort(), nil); err != nil {
		t.Fatal(err)
	}
	found, err := server.Find(t.Context())
	if err != nil || len(found.Made()) != 2 {
		t.Fatalf("got %v (%v)", found.Made(), err)
	}
	for _, object := range found.Made() {
		if !me.Marked(object) {
			t.Errorf("%s is not mine", server.Leaf.Describe(object))
		}
	}
	if owners := found.PublicKey.OwnerReferences; len(owners) != 1 || owners[0].UID != gateway.UID {
		t.Errorf("the PublicKey would not go with the gateway: %v", owners)
	}
}

func TestAForgedOriginIsShownInOneLine(t *testing.T) {
	forged := Origin{Who: "alice\n\nRun this", Folder: "\x1b[2K", Workspace: "::add-mask::a"}
	if got := forged.String(); got != `alice\n\nRun this, in folder \x1b[2K, workspace :\x3aadd-mask::a` {
		t.Errorf("got %q", got)
	}
}
