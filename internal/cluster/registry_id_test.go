package cluster

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestASearchByAnIDThatTwoClustersHaveSaysSoIfBothHaveAnswered(t *testing.T) {
	const both = `leaves "production" and "staging" are two clusters with the same cluster ID "rome"`
	found := func(name, uid string) answer {
		return answer{name: name, leaf: &Leaf{Name: name, ID: "rome", UID: types.UID("uid-of-" + uid)}}
	}
	for name, test := range map[string]struct {
		is      func(*Leaf) bool
		answers []answer
		want    string // the leaf, or the error
	}{
		"two clusters":              {nil, []answer{found("production", "one"), found("staging", "two")}, both},
		"two names of one":          {nil, []answer{found("staging", "one"), found("production", "one")}, "production"},
		"one whose UID is known":    {isTwo, []answer{found("production", "one"), found("staging", "two")}, "staging"},
		"one that has not answered": {nil, []answer{found("staging", "two")}, "staging"},
	} {
		t.Run(name, func(t *testing.T) {
			s := search{registry: &Registry{}, names: []string{"production", "staging"}, id: "rome", is: test.is}
			for _, a := range test.answers {
				s.take(a)
			}
			leaf, err := s.result()
			if err != nil && err.Error() != test.want || err == nil && leaf.Name != test.want {
				t.Errorf("got %v (%v)", leaf, err)
			}
		})
	}
}

func isTwo(leaf *Leaf) bool { return leaf.UID == "uid-of-two" }
