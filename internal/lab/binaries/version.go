package binaries

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// LiqoVersion is a version of Liqo, with a leading v.
type LiqoVersion string

// oldestLiqo is the first version that the lab can run. Those before it have another API.
const oldestLiqo LiqoVersion = "v1.0.0"

// ParseLiqoVersion parses a release such as v1.1.2. It does not check that the release exists.
func ParseLiqoVersion(text string) (LiqoVersion, error) {
	v := LiqoVersion(text)
	if semver.Canonical(text) != text || semver.Prerelease(text) != "" || v.before(oldestLiqo) {
		return "", fmt.Errorf("%q is not a version of Liqo from %s on, such as v1.1.2", text, oldestLiqo)
	}
	return v, nil
}

func (v LiqoVersion) before(other LiqoVersion) bool {
	return semver.Compare(string(v), string(other)) < 0
}

// RunsWireGuardGo reports whether liqo-wireguard starts the program wireguard-go for WireGuard in
// user space. Later versions contain it.
func (v LiqoVersion) RunsWireGuardGo() bool { return v.before("v1.2.0") }
