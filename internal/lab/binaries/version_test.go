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

func TestWireGuardInUserSpaceIsAProgramOfItsOwnBefore12(t *testing.T) {
	for version, want := range map[LiqoVersion]bool{"v1.0.0": true, "v1.1.2": true, "v1.2.0": false} {
		if got := version.RunsWireGuardGo(); got != want {
			t.Errorf("%s: it runs wireguard-go: %t", version, got)
		}
	}
}
