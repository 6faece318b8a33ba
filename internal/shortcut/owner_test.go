package shortcut

import (
	"testing"
	"time"
)

func TestAnOwnerIsNamedByWhereItMadeTheShortcut(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 5, 6, 0, time.FixedZone("Rome", 3600))
	for expected, origin := range map[string]Origin{
		"another resource of this provider":                                    {},
		"alice@ci, in folder network, workspace prod, at 2026-11-21T04:05:06Z": {Who: "alice@ci", Folder: "network", Workspace: "prod", At: at},
		"in folder network": {Folder: "network"},
		"workspace prod":    {Workspace: "prod"},
	} {
		if got := origin.String(); got != expected {
			t.Errorf("got %q, expected %q", got, expected)
		}
	}
}

func TestWhatIsMadeIsTheOwners(t *testing.T) {
	gateway := wireGuard(serverGateway("rome", 51840))
	server := milansEnd(t, gateway)
	server.owner = me
	if err := server.ensurePublicKey(t.Context(), make([]byte, 32), gateway); err != nil {
		t.Fatal(err)
	}
	if _, err := server.ensureGatewayServer(t.Context(), "liqo-tenant-rome", overNodePort.Server); err != nil {
		t.Fatal(err)
	}
	found, err := server.find(t.Context())
	if err != nil || len(found.made()) != 2 {
		t.Fatalf("got %v (%v)", found.made(), err)
	}
	for _, object := range found.made() {
		if !me.marked(object) {
			t.Errorf("%s is not mine", server.leaf.Describe(object))
		}
	}
	if owners := found.publicKey.OwnerReferences; len(owners) != 1 || owners[0].UID != gateway.UID {
		t.Errorf("the PublicKey would not go with the gateway: %v", owners)
	}
}
