package cluster

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestASearchByAnIDThatTwoClustersHaveSaysSoIfBothHaveAnswered(t *testing.T) {
	s := search{names: []string{"production", "staging"}, id: "rome"}
	found := func(name, uid string) answer {
		return answer{name: name, leaf: &Leaf{Name: name, ID: "rome", UID: types.UID("uid-of-" + uid)}}
	}
	if !s.take(found("production", "one")) || s.take(found("staging", "two")) || s.shared == nil ||
		s.shared.Error() != `leaves "production" and "staging" are two clusters with the same cluster ID "rome"` {
		t.Errorf("got %v", s.shared)
	}
	s = search{names: []string{"a", "b"}, id: "rome"}
	if !s.take(found("b", "one")) || !s.take(found("a", "one")) || s.shared != nil || s.match.Name != "a" {
		t.Errorf("two names of one cluster: %v, found %v", s.shared, s.match)
	}
	s = search{names: []string{"a", "b"}, id: "rome", is: func(leaf *Leaf) bool { return leaf.UID == "uid-of-two" }}
	if s.take(found("a", "one")) || !s.take(found("b", "two")) || s.shared != nil {
		t.Errorf("a cluster that is known by its UID: %v, found %v", s.shared, s.match)
	}
}
