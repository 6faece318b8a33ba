package acceptance

import (
	"cmp"
	"slices"
	"sync"
)

// sideBySide returns the default number of labs, and so of parallel tests; -parallel overrides it. Four tests, beside
// those of the lab itself, use two cores fully. More would only run more idle clusters at a time, and their waits would
// be longer. A machine with little memory has fewer.
func sideBySide() int {
	const most, memoryOfLab = 4, 4000 // MiB, for its own and for the files that the kernel caches
	available := memory()
	if available == 0 { // not known
		return most
	}
	return min(most, max(1, available/memoryOfLab))
}

// labs lends the labs of this run.
var labs pool

// pool lends labs to tests, one test at a time. The tests wait here and not in package testing, which does not know
// which of them need the same kind of lab. Tests can't share a lab at a time, whatever namespaces they had: they stop
// its API servers, count its requests, and use its one pair of clusters. It takes long to start a lab, so the pool
// stops one only if no test needs it any more.
type pool struct {
	mu      sync.Mutex
	size    int // the maximum number of labs
	kinds   []*kind
	idle    []*Lab
	waiting []request // the first one is served first

	building sync.Mutex
}

// kind is a kind of lab.
type kind struct {
	options []string // of `liqo-lab up`
	labs    int      // how many run or are about to start
	tests   int      // how many tests do not have one yet
	built   bool     // whether its programs are in the cache; needs the pool's lock for building
}

// request is the request of a test for a lab. The answer may be a lab of another kind, or none. The test then stops
// that lab and starts its own.
type request struct {
	kind   *kind
	turn   turn
	answer chan *Lab
}

// turn says before which others a test of the same kind gets a lab. Package testing starts subtests when others wait
// already, and they would be the last ones. Tests that use up their lab take one that the others have left.
type turn int

const (
	subtestTurn turn = iota
	testTurn
	lastTurn
)

// enough is how many tests of a kind a lab must have ahead of it, so that it is worth starting one more.
const enough = 2

// announce counts a test that will need a lab with these options.
func (p *pool) announce(options []string) *kind {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.kinds, func(k *kind) bool { return slices.Equal(k.options, options) })
	if i < 0 {
		i = len(p.kinds)
		p.kinds = append(p.kinds, &kind{options: options})
	}
	p.kinds[i].tests++
	return p.kinds[i]
}

// lend waits for a lab of a kind that was announced. It starts one if necessary.
func (p *pool) lend(desired *kind, turn turn) (*Lab, error) {
	if err := p.build(); err != nil {
		return nil, err
	}
	l := <-p.ask(desired, turn)
	if l != nil && l.serves(desired) {
		return l, nil
	}
	if l != nil {
		l.stop()
	}
	l, err := startLab(desired.options...)
	if err != nil {
		p.remove(desired)
		return nil, err
	}
	l.kind = desired
	return l, nil
}

// build builds the programs of all kinds that were announced, unless the cache has them. A compiler would keep the
// machine so busy that tests beside it exceed their limits.
func (p *pool) build() error {
	p.building.Lock()
	defer p.building.Unlock()
	p.mu.Lock()
	kinds := slices.Clone(p.kinds)
	p.mu.Unlock()
	for _, k := range kinds {
		if k.built {
			continue
		}
		if _, err := output(labProgram, append([]string{"up", "--build-only"}, k.options...)...); err != nil {
			return err
		}
		k.built = true
	}
	return nil
}

// ask queues a request behind those whose turn is not later. The answer comes when it is the test's turn.
func (p *pool) ask(desired *kind, turn turn) <-chan *Lab {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := make(chan *Lab, 1)
	p.waiting = append(p.waiting, request{desired, turn, answer})
	slices.SortStableFunc(p.waiting, func(a, b request) int { return cmp.Compare(a.turn, b.turn) })
	p.serve()
	return answer
}

// put takes a lab back.
func (p *pool) put(l *Lab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, l)
	p.serve()
}

// remove forgets a lab that no longer runs.
func (p *pool) remove(k *kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k.labs--
	p.serve()
}

// serve answers as many requests as possible. Like all of the following, it needs the lock.
func (p *pool) serve() {
	for p.lendIdle() || p.allowStart() {
	}
}

// lendIdle lends an idle lab, if a test waits for one of its kind or, in the second place, can use it.
func (p *pool) lendIdle() bool {
	for _, fits := range []func(*Lab, *kind) bool{
		func(l *Lab, k *kind) bool { return l.kind == k }, (*Lab).serves,
	} {
		for i, test := range p.waiting {
			j := slices.IndexFunc(p.idle, func(l *Lab) bool { return fits(l, test.kind) })
			if j >= 0 {
				p.answer(i, p.idle[j])
				p.idle = slices.Delete(p.idle, j, j+1)
				return true
			}
		}
	}
	return false
}

// allowStart allows a test to start a lab, if there is room for one, or if an idle lab can make room.
func (p *pool) allowStart() bool {
	next := p.scarcest()
	i := slices.IndexFunc(p.waiting, func(test request) bool { return test.kind == next })
	if i < 0 {
		return false
	}
	var running int
	for _, k := range p.kinds {
		running += k.labs
	}
	var old *Lab
	if running >= p.size {
		if len(p.idle) == 0 {
			return false
		}
		old, p.idle = p.idle[0], p.idle[1:]
		old.kind.labs--
	}
	next.labs++
	p.answer(i, old)
	return true
}

// scarcest returns the kind that needs one more lab most: one without a lab or else the one whose labs have most tests
// ahead of them. It returns nil if no kind needs one.
func (p *pool) scarcest() *kind {
	var scarcest *kind
	var most int
	for _, k := range p.kinds {
		if k.labs == 0 && k.tests > 0 {
			return k
		}
		if ahead := k.tests / (k.labs + 1); ahead >= enough && ahead > most {
			scarcest, most = k, ahead
		}
	}
	return scarcest
}

func (p *pool) answer(i int, l *Lab) {
	p.waiting[i].kind.tests--
	p.waiting[i].answer <- l
	p.waiting = slices.Delete(p.waiting, i, i+1)
}

// stop stops all labs, which must be idle.
func (p *pool) stop() {
	var stopping sync.WaitGroup
	for _, l := range p.idle {
		stopping.Go(l.stop)
	}
	stopping.Wait()
}
