package acceptance

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// sideBySide is the default number of parallel tests, each on its own lab; -parallel overrides it.
// Three tests use two cores fully, because a test waits for Liqo and Kubernetes at least a third of
// its time. A lab needs 4 GB of memory.
const sideBySide = 3

// topology lists the clusters of a lab in the pool: Europe, Rome and Milan; Naples, which has the
// same pod CIDR as Rome; and Venice, which has no Liqo.
var topology = []string{
	"--cluster=europe=100.64.0.0/16", // outside the ranges that Liqo's IPAM gives out
	"--cluster=rome=10.202.0.0/16",
	"--cluster=milan=10.203.0.0/16",
	"--cluster=naples=10.202.0.0/16",
	"--cluster=venice=10.205.0.0/16,no-liqo",
}

// idle holds the labs that no test uses now.
var idle pool

// pool holds running labs. The last one in is the first one out.
type pool struct {
	mu   sync.Mutex
	labs []*Lab
}

// get removes a lab from the pool that was started with these options. If there is none, it returns
// nil, and stops a lab with other options: there are never more labs than parallel tests.
func (p *pool) get(options []string) *Lab {
	l := p.take(func(l *Lab) bool { return slices.Equal(l.options, options) })
	if l != nil {
		return l
	}
	if other := p.take(func(*Lab) bool { return true }); other != nil {
		other.stop()
	}
	return nil
}

// take removes the last lab that fits from the pool. It returns nil if there is none.
func (p *pool) take(fits func(*Lab) bool) *Lab {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range slices.Backward(p.labs) {
		if fits(l) {
			p.labs = slices.Delete(p.labs, i, i+1)
			return l
		}
	}
	return nil
}

func (p *pool) put(l *Lab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.labs = append(p.labs, l)
}

// stop stops all labs in the pool.
func (p *pool) stop() {
	for _, l := range p.labs {
		l.stop()
	}
}

// onClusters runs a test in parallel with others. It skips the test if tests on clusters were not
// requested.
func onClusters(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skipf("Acceptance tests skipped unless env '%s' set", resource.EnvTfAcc)
	}
	t.Parallel()
}

// borrowLab reserves a lab for a test. The test may stop an API server, and count the requests to
// all clusters. If no lab is idle, a new one starts. At the end of the test, the clusters must have
// the same objects as before.
func borrowLab(t *testing.T) *Lab {
	t.Helper()
	return borrowLabOf(t, topology)
}

// borrowLabOf does the same with a lab that is started with other options.
func borrowLabOf(t *testing.T, options []string) *Lab {
	t.Helper()
	onClusters(t)
	l := idle.get(options)
	if l == nil {
		var err error
		if l, err = startLab(options...); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { l.giveBack(t) })
	return l
}

// giveBack puts a lab into the pool, unless its test has failed. What a failed test has left must
// not affect other tests.
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
