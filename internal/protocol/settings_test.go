package protocol

import (
	"maps"
	"slices"
	"testing"
)

func TestAnUpdateWithNothingToChangeOnTheLeavesWritesNothingThere(t *testing.T) {
	l := leavesFor(t)
	settings := overNodePort
	p := l.project(t, between("milan", settings))
	p.apply()
	for _, more := range []string{
		"client_gateway = {}", `timeouts = { create = "3m" }`, "wait_for_connection = false", `on_destroy = "disconnect"`,
	} {
		settings += "\n" + more
		p.configure(between("milan", settings))
		l.writes() // only later ones
		p.apply().does("update", romeMilan)
		p.has(romeMilan, "Connected", "status")
		if written := l.writes(); len(written) > 0 {
			t.Errorf("with %s, the provider has sent %v", more, written)
		}
	}
}

func TestForbiddenRemappingIsAcceptedIfNothingOverlaps(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort+"\n"+`cidr_remapping = "forbid"`))
	p.apply()
	p.has(romeMilan, "Connected", "status")
}

func TestConfigurationsCanOutliveTheShortcut(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort+"\n"+`on_destroy = "disconnect"`))
	p.apply()
	before := l.requested()

	p.configure("")
	p.apply().does("delete", romeMilan)
	left := l.requested()
	names := slices.Sorted(maps.Keys(left))
	if changes := differing(before, left); changes != "" ||
		!slices.Equal(names, []string{"milan Configuration", "rome Configuration"}) {
		t.Errorf("%q are left, and %q have changed", names, changes)
	}

	p.configure(between("milan", overNodePort))
	p.apply().does("create", romeMilan)
	p.has(romeMilan, "Connected", "status")
	const created = "new milan GatewayServer, new milan PublicKey, new rome GatewayClient, new rome PublicKey"
	if changes := differing(left, l.requested()); changes != created {
		t.Errorf("a new shortcut has changed %q", changes)
	}
}
