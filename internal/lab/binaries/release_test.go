package binaries

import "testing"

func TestReleasesAreOrderedByTheNumbersOfTheirVersions(t *testing.T) {
	for _, ordered := range [][2]LiqoVersion{{"v1.9.0", "v1.10.0"}, {"v1.0.3", "v1.1.0"}} {
		older, newer := LiqoRelease{Version: ordered[0]}, LiqoRelease{Version: ordered[1]}
		if OlderLiqo(older, newer) != older || OlderLiqo(newer, older) != older {
			t.Errorf("%s is not older than %s", older.Version, newer.Version)
		}
	}
}

func TestSourcesAreNewerThanTheVersionThatTheyFollowAndOlderThanTheNext(t *testing.T) {
	sources, err := unpublishedLiqo("/src/liqo", "v1.2.0", "h0123")
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []struct {
		version LiqoVersion
		older   bool
	}{{"v1.2.0", true}, {"v1.2.1", false}, {"v1.3.0-rc.1", false}} {
		release := LiqoRelease{Version: other.version}
		if (OlderLiqo(sources, release) == release) != other.older {
			t.Errorf("%s is older than %s: not %t", other.version, sources.Version, other.older)
		}
	}
	if sources.Version.RunsWireGuardGo() {
		t.Errorf("%s behaves as an older version", sources.Version)
	}
}

func TestOtherContentOfAFolderIsAnotherRelease(t *testing.T) {
	before, err := unpublishedLiqo("/src/liqo", "v1.2.0", "h0123")
	if err != nil {
		t.Fatal(err)
	}
	after, err := unpublishedLiqo("/src/liqo", "v1.2.0", "h4567")
	if err != nil || before == after {
		t.Errorf("%v and %v, %v", before, after, err)
	}
}

func TestSourcesThatFollowNoVersionAreRefused(t *testing.T) {
	if release, err := unpublishedLiqo("/src/liqo", "nightly", "h0123"); err == nil {
		t.Errorf("got %v", release)
	}
}
