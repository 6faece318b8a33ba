package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToAsk limits the time that a leaf takes to return its ID while another leaf is searched. A leaf that hangs must
// not delay operations on other leaves.
const timeToAsk = 20 * time.Second

// UnknownIDError means that none of the leaves that answered is the cluster with an ID.
type UnknownIDError struct {
	ID     string
	Names  []string // the leaves that were asked
	Silent []string // those of them whose ID could not be read
}

// Error lists the leaves, and those whose ID could not be read.
func (e *UnknownIDError) Error() string {
	text := fmt.Sprintf("none of the leaves %s has the cluster ID %q", trouble.Quoted(e.Names), e.ID)
	if len(e.Silent) > 0 {
		text += fmt.Sprintf(", but the ID of %s could not be read", trouble.Quoted(e.Silent))
	}
	return text
}

// SharedIDError means that two clusters have the same ID, for example because they are in different environments.
type SharedIDError struct {
	ID    string
	Names [2]string // the leaves
}

// Error names both.
func (e *SharedIDError) Error() string {
	return fmt.Sprintf("leaves %q and %q are two clusters with the same cluster ID %q", e.Names[0], e.Names[1], e.ID)
}

// LeafByID returns the connected leaf with this cluster ID, whatever its name. It asks all leaves in parallel, ignores
// leaves that it can't connect to, and waits for no leaf once it has the right one. If a cluster has several names for
// one address, LeafByID uses the first one of [Registry.Names], else the one that answers first. The error is an
// [UnknownIDError], or a [SharedIDError] if another cluster with the ID has answered by then.
func (r *Registry) LeafByID(ctx context.Context, id string) (*Leaf, error) {
	return r.Search(ctx, id, nil)
}

// Search is [Registry.LeafByID] for a cluster that is known by more than its ID. The function reports whether a leaf
// with the ID is that cluster, if it is not nil. Then there may be others with the ID.
func (r *Registry) Search(ctx context.Context, id string, is func(*Leaf) bool) (*Leaf, error) {
	names, _ := r.Names() // if the kubeconfig can't be read, only the leaves of the provider block are asked
	ctx, cancel := context.WithTimeout(ctx, timeToAsk)
	defer cancel() // of the waits; the connections complete, for callers that need these leaves
	answers := make(chan answer, len(names))
	for _, name := range names {
		go func() {
			leaf, err := r.Leaf(ctx, name)
			answers <- answer{name, leaf, err}
		}()
	}
	s := search{registry: r, names: names, id: id, is: is, awaited: slices.Clone(names)}
	for !s.isOver() {
		s.take(<-answers)
	}
	return s.result()
}

// search is the search for a cluster among all leaves.
type search struct {
	registry *Registry
	names    []string // of all leaves
	id       string
	is       func(*Leaf) bool // may be nil

	awaited []string       // leaves that have not answered yet
	match   *Leaf          // nil if the cluster has not answered yet
	better  []string       // of the awaited ones, those that may be the same cluster with a name that comes first
	shared  *SharedIDError // another cluster with the ID; nil if none has answered yet
	silent  []string       // leaves whose ID could not be read
}

// answer is what comes of connecting to a leaf.
type answer struct {
	name string
	leaf *Leaf
	err  error
}

func (s *search) isOver() bool {
	return len(s.awaited) == 0 || s.match != nil && len(s.better) == 0
}

// take looks at an answer.
func (s *search) take(a answer) {
	hasAnswered := func(name string) bool { return name == a.name }
	s.awaited, s.better = slices.DeleteFunc(s.awaited, hasAnswered), slices.DeleteFunc(s.better, hasAnswered)
	switch {
	case a.err != nil:
		if !NoLiqo(a.err) {
			s.silent = append(s.silent, a.name)
		}
	case string(a.leaf.ID) != s.id || s.is != nil && !s.is(a.leaf): // another cluster
	case s.match != nil && s.match.UID != a.leaf.UID:
		s.shared = &SharedIDError{ID: s.id, Names: [2]string{s.match.Name, a.leaf.Name}}
	case s.match == nil || s.precedes(a.name, s.match.Name):
		s.match = a.leaf
		s.better = s.registry.atAddressOf(a.name, slices.DeleteFunc(slices.Clone(s.awaited), func(name string) bool {
			return s.precedes(a.name, name)
		}))
	}
}

func (s *search) result() (*Leaf, error) {
	switch {
	case s.shared != nil:
		return nil, s.shared
	case s.match != nil:
		return s.match, nil
	}
	slices.SortFunc(s.silent, func(a, b string) int { return slices.Index(s.names, a) - slices.Index(s.names, b) })
	return nil, &UnknownIDError{ID: s.id, Names: s.names, Silent: s.silent}
}

// precedes reports whether one of the names comes before another.
func (s *search) precedes(one, other string) bool {
	return slices.Index(s.names, one) < slices.Index(s.names, other)
}

// atAddressOf returns those of the other names that stand for an API server at the same address as this one. It does
// not ask a centre, which has the address of a leaf whose credentials come from it.
func (r *Registry) atAddressOf(name string, others []string) []string {
	address := r.address(name)
	if address == "" {
		return nil
	}
	return slices.DeleteFunc(others, func(other string) bool { return r.address(other) != address })
}

// address returns the URL of a leaf's API server, or an empty string if the user has not set it.
func (r *Registry) address(name string) string {
	credentials, err := r.credentials(name)
	if err != nil || credentials.From != "" {
		return ""
	}
	config, err := credentials.RESTConfig()
	if err != nil {
		return ""
	}
	return config.Host
}
