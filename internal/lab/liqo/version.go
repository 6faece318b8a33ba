// Package liqo knows what differs between the versions of Liqo that a cluster can run.
package liqo

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// Version is a release of Liqo, with a leading v. The zero value stands for a cluster without Liqo.
type Version string

// oldest is the first version that the lab can run. Those before it have another API.
const oldest Version = "v1.0.0"

// ParseVersion parses a release such as v1.1.2. It does not check that the release exists.
func ParseVersion(text string) (Version, error) {
	v := Version(text)
	if semver.Canonical(text) != text || semver.Prerelease(text) != "" || v.before(oldest) {
		return "", fmt.Errorf("%q is not a version of Liqo from %s on, such as v1.1.2", text, oldest)
	}
	return v, nil
}

// Older returns the older of two versions.
func Older(a, b Version) Version {
	if b.before(a) {
		return b
	}
	return a
}

func (v Version) before(other Version) bool { return semver.Compare(string(v), string(other)) < 0 }

// ElectsActiveGateway reports whether the programs of each gateway pod first wait for each other,
// and liqo-gateway then labels its pod as the active one. Later versions do so only for gateways
// with several replicas. Their templates label the only pod.
func (v Version) ElectsActiveGateway() bool { return v.before("v1.1.0") }

// RunsWireGuardGo reports whether liqo-wireguard starts the program wireguard-go for WireGuard in
// user space. Later versions contain it.
func (v Version) RunsWireGuardGo() bool { return v.before("v1.2.0") }
