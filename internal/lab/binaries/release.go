package binaries

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// LiqoRelease is the Liqo that a cluster runs: a published version, or the sources in a folder. The zero value stands
// for a cluster without Liqo. Clusters with equal releases run the same programs.
type LiqoRelease struct {
	Version LiqoVersion
	// Folder has the sources. It is empty for a published version.
	Folder string
}

// unpublishedLiqo returns the release of the sources in a folder. Its version is newer than the published one that they
// follow, older than any later one, and another one for every hash of the sources.
func unpublishedLiqo(folder string, follows LiqoVersion, hash string) (LiqoRelease, error) {
	var major, minor, patch int
	if _, err := fmt.Sscanf(semver.Canonical(string(follows)), "v%d.%d.%d", &major, &minor, &patch); err != nil {
		return LiqoRelease{}, fmt.Errorf("%q is not a version: %w", follows, err)
	}
	version := fmt.Sprintf("v%d.%d.%d-0.sources.%s", major, minor, patch+1, hash)
	return LiqoRelease{Version: LiqoVersion(version), Folder: folder}, nil
}

// OlderLiqo returns the older of two releases.
func OlderLiqo(a, b LiqoRelease) LiqoRelease {
	if b.Version.before(a.Version) {
		return b
	}
	return a
}
