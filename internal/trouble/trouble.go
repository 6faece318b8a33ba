// Package trouble has the problems that users read. It gives the errors and warnings of the provider stable IDs, and
// knows the page that explains each of them. The entries of that page are in files named troubles.md beside the code
// that reports the trouble.
package trouble

import (
	"fmt"
	"regexp"
)

// ID names one trouble, in lower-case words with dashes. It never changes, because it is part of addresses. A headline
// may change.
type ID string

// NoEntry is in place of the ID where a value is refused and the text says what to set instead. It has no entry.
const NoEntry ID = ""

const (
	registry = "https://registry.terraform.io/providers/leafmesh/liqo"
	sources  = "https://github.com/leafmesh/terraform-provider-liqo/blob"
)

var (
	released  = regexp.MustCompile(`^\d+\.\d+\.\d+(-(alpha|beta|rc)[.\d]*)?$`)
	committed = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// page is the address of the troubleshooting guide.
var page = pageOf("", "")

// SetVersion makes every address point to the guide of this version of the provider: to the registry for a release,
// and to the source for any other commit. It must be called before anything is reported.
func SetVersion(version, commit string) { page = pageOf(version, commit) }

func pageOf(version, commit string) string {
	switch {
	case released.MatchString(version):
		return fmt.Sprintf("%s/%s/docs/guides/troubleshooting", registry, version)
	case committed.MatchString(commit):
		return fmt.Sprintf("%s/%s/docs/guides/troubleshooting.md", sources, commit)
	default:
		return sources + "/main/docs/guides/troubleshooting.md"
	}
}

// Page returns the address of the entry about this trouble.
func (id ID) Page() string { return page + "#" + string(id) }
