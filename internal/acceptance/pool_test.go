package acceptance

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// sideBySide is how many tests run at a time, each on a lab of its own, unless -parallel says otherwise. Two cores are busy with three: a test waits for Liqo and
// Kubernetes a third of its time and more. A lab takes 4 GB of memory.
const sideBySide = 3

// topology are the clusters of a lab that is lent: Europe, Rome and Milan; Naples, which has Rome's pod CIDR; and Venice, which has no Liqo.
var topology = []string{
	"--cluster=europe=100.64.0.0/16", // outside the ranges that Liqo's IPAM gives out
	"--cluster=rome=10.202.0.0/16",
	"--cluster=milan=10.203.0.0/16",
	"--cluster=naples=10.202.0.0/16",
	"--cluster=venice=10.205.0.0/16,no-liqo",
}

// idle are the labs that no test has at the moment.
var idle pool

// pool keeps running labs. The one that came last goes first.
type pool struct {
	mu   sync.Mutex
	labs []*Lab
}

// get takes a lab out, or returns nil if there is none.
func (p *pool) get() *Lab {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.labs) - 1
	if last < 0 {
		return nil
	}
	l := p.labs[last]
	p.labs = p.labs[:last]
	return l
}

func (p *pool) put(l *Lab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.labs = append(p.labs, l)
}

// stop ends all labs in the pool.
func (p *pool) stop() {
	for l := p.get(); l != nil; l = p.get() {
		l.stop()
	}
}

// onClusters runs a test beside others, or skips it where tests on clusters were not asked for.
func onClusters(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skipf("Acceptance tests skipped unless env '%s' set", resource.EnvTfAcc)
	}
	t.Parallel()
}

// borrowLab lends a lab to a test, which has it for itself: it may stop an API server, and count the requests to all clusters. It is started if no other test has
// given one back. When the test ends, everything must be on the clusters that was there before, and nothing else.
func borrowLab(t *testing.T) *Lab {
	t.Helper()
	onClusters(t)
	l := idle.get()
	if l == nil {
		var err error
		if l, err = startLab(topology...); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { l.giveBack(t) })
	return l
}

// giveBack puts a lab into the pool, unless its test has failed: no other test shall stumble over what that has left.
func (l *Lab) giveBack(t *testing.T) {
	t.Helper()
	if err := l.sameInventory(context.WithoutCancel(t.Context()), l.before); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		l.stop()
		return
	}
	idle.put(l)
}
