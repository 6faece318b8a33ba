package acceptance

import (
	"slices"
	"testing"
)

// answered returns the answer to a request, and whether there is one already.
func answered(answer <-chan *Lab) (*Lab, bool) {
	select {
	case l := <-answer:
		return l, true
	default:
		return nil, false
	}
}

// mustGet fails the test unless a request was answered with this lab: to use it or, if it is of another kind or nil, to
// start one in its place.
func mustGet(t *testing.T, answer <-chan *Lab, lab *Lab) {
	t.Helper()
	if l, ok := answered(answer); !ok || l != lab {
		t.Errorf("answered: %v, with %v", ok, l)
	}
}

func mustWait(t *testing.T, answers ...<-chan *Lab) {
	t.Helper()
	for i, answer := range answers {
		if l, ok := answered(answer); ok {
			t.Errorf("%d is answered with %v", i, l)
		}
	}
}

func TestThePoolGivesALabToTheTestsOfItsKindBeforeItStopsIt(t *testing.T) {
	p := pool{size: 1}
	one, other := p.announce([]string{"--a"}), p.announce([]string{"--b"})
	p.announce(one.options)
	first, second, third := p.ask(one, testTurn), p.ask(other, testTurn), p.ask(one, testTurn)
	mustGet(t, first, nil)
	mustWait(t, second, third)
	l := &Lab{kind: one}
	p.put(l)
	mustGet(t, third, l)
	mustWait(t, second)
	p.put(l)
	mustGet(t, second, l)
}

func TestThePoolStartsALabOfEachKindFirstAndThenWhereMostTestsWait(t *testing.T) {
	p := pool{size: 4}
	var rare, common []<-chan *Lab
	kinds := []*kind{p.announce([]string{"--rare"}), p.announce([]string{"--common"})}
	for range 2 {
		p.announce(kinds[0].options)
	}
	for range 9 {
		p.announce(kinds[1].options)
	}
	for range 10 {
		common = append(common, p.ask(kinds[1], testTurn))
	}
	mustWait(t, common...) // because the tests of the other kind are known, and none of them has asked yet
	for range 3 {
		rare = append(rare, p.ask(kinds[0], testTurn))
	}
	mustGet(t, rare[0], nil)
	for _, answer := range common[:3] {
		mustGet(t, answer, nil)
	}
	mustWait(t, slices.Concat(rare[1:], common[3:])...)
}

func TestThePoolStartsNoLabForASingleTestThatCanWait(t *testing.T) {
	p := pool{size: 2}
	one := p.announce([]string{"--a"})
	p.announce(one.options)
	first, second := p.ask(one, testTurn), p.ask(one, testTurn)
	mustGet(t, first, nil)
	mustWait(t, second)
	p.remove(one) // the first test has failed, and its lab is gone
	mustGet(t, second, nil)
}

func TestThePoolGivesALabToSubtestsFirst(t *testing.T) {
	p := pool{size: 1}
	one := p.announce([]string{"--a"})
	for range 3 {
		p.announce(one.options)
	}
	first, second := p.ask(one, testTurn), p.ask(one, testTurn)
	subtest := p.ask(one, subtestTurn)
	mustGet(t, first, nil)
	l := &Lab{kind: one}
	p.put(l)
	mustGet(t, subtest, l)
	mustWait(t, second)
}

func TestThePoolGivesALabLastToATestThatUsesItUp(t *testing.T) {
	p := pool{size: 1}
	one := p.announce([]string{"--a"})
	for range 2 {
		p.announce(one.options)
	}
	first, last, second := p.ask(one, testTurn), p.ask(one, lastTurn), p.ask(one, testTurn)
	mustGet(t, first, nil)
	l := &Lab{kind: one}
	p.put(l)
	mustGet(t, second, l)
	mustWait(t, last)
	p.put(l)
	mustGet(t, last, l)
}

func TestALabServesTestsThatNeedFewerClusters(t *testing.T) {
	p := pool{size: 2}
	few, more := p.announce(pair), p.announce(topology)
	packets := p.announce(append([]string{"--dataplane=real"}, pair...))
	for name, test := range map[string]struct {
		lab    *kind
		tests  *kind
		serves bool
	}{
		"as many":            {few, few, true},
		"more":               {more, few, true},
		"fewer":              {few, more, false},
		"of another sort":    {packets, few, false},
		"of the common sort": {few, packets, false},
	} {
		if serves := (&Lab{kind: test.lab}).serves(test.tests); serves != test.serves {
			t.Errorf("%s: %v", name, serves)
		}
	}
}
