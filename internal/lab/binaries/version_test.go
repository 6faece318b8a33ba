package binaries

import "testing"

func TestAVersionIsAReleaseFromTheFirstStableOneOn(t *testing.T) {
	for text, valid := range map[string]bool{
		"v1.0.0": true, "v1.1.2": true, "v1.2.0": true,
		"1.1.2": false, "v1.1": false, "v0.10.3": false, "v1.0.0-rc.3": false, "v1.1.2+local": false, "": false,
	} {
		got, err := ParseLiqoVersion(text)
		if valid != (err == nil) || valid && string(got) != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestEachVersionHasTheCapabilitiesOfItsGateways(t *testing.T) {
	for version, want := range map[LiqoVersion]struct{ elects, wireguardGo bool }{
		"v1.0.0": {true, true},
		"v1.0.3": {true, true},
		"v1.1.0": {false, true},
		"v1.1.2": {false, true},
		"v1.2.0": {false, false},
	} {
		if version.ElectsActiveGateway() != want.elects || version.RunsWireGuardGo() != want.wireguardGo {
			t.Errorf("%s: it elects the active gateway: %t, it runs wireguard-go: %t",
				version, version.ElectsActiveGateway(), version.RunsWireGuardGo())
		}
	}
}
