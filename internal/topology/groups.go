package topology

import (
	"cmp"
	"slices"
	"strings"
)

// Groups maps names of clusters to groups. In a name, each * stands for any text, so `it-*` is every cluster with this
// prefix.
type Groups map[string]string

// AddGroups sets the group of each node that has one.
func (g *Graph) AddGroups(groups Groups) {
	patterns := groups.patterns()
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if group, ok := groups[node.Name]; ok {
			node.Group = group
			continue
		}
		for _, pattern := range patterns {
			if matches(pattern, node.Name) {
				node.Group = groups[pattern]
				break
			}
		}
	}
}

// Unused returns the keys that match none of these names, sorted.
func (g Groups) Unused(names []string) []string {
	var unused []string
	for key := range g {
		fits := func(name string) bool { return name == key || matches(key, name) }
		if !slices.ContainsFunc(names, fits) {
			unused = append(unused, key)
		}
	}
	slices.Sort(unused)
	return unused
}

// patterns returns the keys with a *: the longest one, which counts most, first.
func (g Groups) patterns() []string {
	var patterns []string
	for key := range g {
		if strings.Contains(key, "*") {
			patterns = append(patterns, key)
		}
	}
	slices.SortFunc(patterns, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return patterns
}

// matches reports whether a name is the pattern, in which each * stands for any text.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == name
	}
	rest, fits := strings.CutPrefix(name, parts[0])
	if !fits {
		return false
	}
	if rest, fits = strings.CutSuffix(rest, parts[last]); !fits {
		return false
	}
	for _, part := range parts[1:last] {
		if _, rest, fits = strings.Cut(rest, part); !fits {
			return false
		}
	}
	return true
}
