package acceptance

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// sideBySide is how many tests run at a time, each on a lab of its own, unless -parallel says otherwise. Two cores are busy with three: a test waits for Liqo and
// Kubernetes a third of its time and more. A lab takes 4 GB of memory.
const sideBySide = 3

// topology are the clusters of a lab that is lent: Europe, Rome and Milan; Naples, which has Rome's pod CIDR; and Venice, which has no Liqo.
var topology = []string{
	"--cluster=europe=10.200.0.0/16",
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

// get takes a lab out that was started with these options, or returns nil if there is none. Then a lab with others ends, if there is one: there are never more
// labs than tests run at a time.
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

// take takes out the last lab that fits, or returns nil if none does.
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

// stop ends all labs in the pool.
func (p *pool) stop() {
	for _, l := range p.labs {
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
