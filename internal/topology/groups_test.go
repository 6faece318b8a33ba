package topology

import (
	"slices"
	"testing"
)

func TestAnExactNameCountsMoreThanAPatternAndALongPatternMoreThanAShortOne(t *testing.T) {
	groups := Groups{
		"*": "World", "it-*": "Italy", "it-*-test": "Tests", "it-rome": "Capital", "*/milan": "Lombardy", "a*b*a": "ABA",
	}
	for name, expected := range map[string]string{
		"it-milan": "Italy", "it-": "Italy", "it-rome": "Capital", "it-rome-test": "Tests", "it-test": "Italy",
		"it": "World", "arn:aws:eks:eu-south-1:1:cluster/milan": "Lombardy", "aba": "ABA", "aXbYa": "ABA", "ab": "World",
	} {
		graph := Graph{Nodes: []Node{{Name: name}}}
		if graph.AddGroups(groups); graph.Nodes[0].Group != expected {
			t.Errorf("%s is in %q, expected %q", name, graph.Nodes[0].Group, expected)
		}
	}
}

func TestANodeThatNoKeyMatchesHasNoGroup(t *testing.T) {
	graph := Graph{Nodes: []Node{{Name: "rome"}}}
	if graph.AddGroups(Groups{"rom": "a", "it-*": "b", "*x": "c"}); graph.Nodes[0].Group != "" {
		t.Errorf("got %+v", graph.Nodes[0])
	}
}

func TestAKeyThatMatchesNoNameIsUnused(t *testing.T) {
	groups := Groups{"rome": "a", "it-*": "b", "r*": "c", "milano": "d", "x*x": "e"}
	if got := groups.Unused([]string{"rome", "milan", "x"}); !slices.Equal(got, []string{"it-*", "milano", "x*x"}) {
		t.Errorf("got %q", got)
	}
}
