package acctest

import (
	"os"
	"slices"
	"sync/atomic"
	"testing"
)

// Pair has the options of a lab with the two clusters that most tests need.
var Pair = []string{"--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16"}

// Topology has the options of a lab with more clusters: Europe; Naples, which has the same pod CIDR as Rome; and
// Venice, which has no Liqo. It costs more than twice as much CPU time and memory.
var Topology = append([]string{
	"--cluster=europe=100.64.0.0/16", // outside the ranges that Liqo's IPAM gives out
	"--cluster=naples=10.202.0.0/16",
	"--cluster=venice=10.205.0.0/16,no-liqo",
}, Pair...)

// A version of Liqo supports the last three minor versions of Kubernetes when it is released: from 1.30 for Liqo 1.0.0
// to 1.36 for Liqo 1.2.0.
const (
	OldestKubernetes = "v1.30.4"
	NewestKubernetes = "v1.36.3"
)

// running is the lab of the tests of this package, which run one after the other. It is nil before the first one. A
// signal stops it, too.
var running atomic.Pointer[Lab]

// Borrow returns a lab with these options for a test: that of the test before, if it has the same options, or else a
// new one in its place. Go runs tests by the names of their files, so those of files with the same options have
// neighboring names. The test may stop an API server, and count the requests to all clusters. At the end of the
// test, the clusters must have the same objects as before. It skips the test if tests on clusters were not requested.
func Borrow(t *testing.T, options []string) *Lab {
	t.Helper()
	l := take(t, options)
	t.Cleanup(func() {
		if t.Failed() { // what the test has left must not affect others
			stopLab()
		}
	})
	Finally(t, func() error { return l.SameInventory(t, l.before) })
	return l
}

// UseUp is like Borrow, for a test that may leave the lab in any state. No other test gets it afterwards.
func UseUp(t *testing.T, options []string) *Lab {
	t.Helper()
	l := take(t, options)
	t.Cleanup(stopLab)
	return l
}

// take returns a lab with these options. It starts one, in place of the one that runs, unless that has them.
func take(t *testing.T, options []string) *Lab {
	t.Helper()
	if os.Getenv(enabled) == "" {
		t.Skipf("Acceptance tests skipped unless env '%s' set", enabled)
	}
	if lab := running.Load(); lab != nil && slices.Equal(lab.options, options) {
		return lab
	}
	stopLab()
	lab, err := startLab(options)
	Must(t, err)
	running.Store(lab)
	return lab
}

// stopLab stops the lab that runs.
func stopLab() {
	if lab := running.Swap(nil); lab != nil {
		lab.stop()
	}
}
