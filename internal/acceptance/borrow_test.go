package acceptance

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// pair has the options of a lab with the two clusters that most tests need.
var pair = []string{"--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16"}

// topology has the options of a lab with more clusters: Europe; Naples, which has the same pod CIDR as Rome; and
// Venice, which has no Liqo. It costs more than twice as much CPU time and memory.
var topology = append([]string{
	"--cluster=europe=100.64.0.0/16", // outside the ranges that Liqo's IPAM gives out
	"--cluster=naples=10.202.0.0/16",
	"--cluster=venice=10.205.0.0/16,no-liqo",
}, pair...)

// onClusters runs a test in parallel with others. It skips the test if tests on clusters were not requested. A test
// whose subtests borrow labs calls it before them: its subtests could otherwise wait for tests that wait for its end.
func onClusters(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skipf("Acceptance tests skipped unless env '%s' set", resource.EnvTfAcc)
	}
	begun.Add(1) // all tests come here before the first one goes on; subtests come later
	t.Cleanup(func() {
		fmt.Fprintf(os.Stderr, "%s ended, %d of %d so far (%s).\n",
			t.Name(), ended.Add(1), begun.Load(), time.Since(started).Round(time.Second))
	})
	t.Parallel()
}

// How far the tests on clusters are: how many have begun to wait for a lab, how many have ended, and since when.
var (
	begun, ended atomic.Int32
	started      = time.Now()
)

// borrowLab reserves a lab with Rome and Milan for a test. The test may stop an API server, and count the requests to
// all clusters. At the end of the test, the clusters must have the same objects as before.
func borrowLab(t *testing.T) *Lab {
	t.Helper()
	return borrowLabOf(t, pair)
}

// borrowTopology does the same with a lab that has all clusters.
func borrowTopology(t *testing.T) *Lab {
	t.Helper()
	return borrowLabOf(t, topology)
}

// borrowLabOf does the same with a lab that is started with other options.
func borrowLabOf(t *testing.T, options []string) *Lab {
	t.Helper()
	turn := testTurn
	if strings.Contains(t.Name(), "/") {
		turn = subtestTurn
	}
	l := reserveLab(t, options, turn)
	t.Cleanup(func() { l.giveBack(t) })
	return l
}

// useUpLab reserves a lab for a test that may leave it in any state. No other test uses it.
func useUpLab(t *testing.T, options []string) *Lab {
	t.Helper()
	l := reserveLab(t, options, lastTurn)
	t.Cleanup(l.discard)
	return l
}

func reserveLab(t *testing.T, options []string, turn turn) *Lab {
	t.Helper()
	desired := labs.announce(options) // before any test runs, so that the pool can choose
	onClusters(t)
	asked := time.Now()
	l, err := labs.lend(desired, turn)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("It waited %s for its lab.", time.Since(asked).Round(time.Second))
	return l
}

// giveBack puts a lab into the pool, unless its test has failed. What a failed test has left must not affect other
// tests.
func (l *Lab) giveBack(t *testing.T) {
	t.Helper()
	if err := l.sameInventory(context.WithoutCancel(t.Context()), l.before); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		l.discard()
		return
	}
	labs.put(l)
}

// discard stops a lab that no test may use any more.
func (l *Lab) discard() {
	l.stop()
	labs.remove(l.kind)
}
