package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// timeToAsk limits the time that a leaf takes to return its ID while another leaf is searched. A
// leaf that hangs must not delay operations on other leaves.
const timeToAsk = 20 * time.Second

// UnknownIDError means that none of the leaves that answered has a cluster ID.
type UnknownIDError struct {
	ID     string
	Names  []string // the leaves that were asked
	Silent []string // those of them whose ID could not be read
}

// Error lists the leaves, and those whose ID could not be read.
func (e *UnknownIDError) Error() string {
	text := fmt.Sprintf("none of the leaves %s has the cluster ID %q", quoteList(e.Names), e.ID)
	if len(e.Silent) > 0 {
		text += fmt.Sprintf(", but the ID of %s could not be read", quoteList(e.Silent))
	}
	return text
}

// LeafByID returns the connected leaf with this cluster ID, whatever its name. It asks all leaves in
// parallel, ignores leaves that it can't connect to, and waits for no leaf once it has the right one.
// If a cluster has several names for one address, LeafByID uses the first one of [Registry.Names], else
// the one that answers first. The error is an [UnknownIDError].
func (r *Registry) LeafByID(ctx context.Context, id string) (*Leaf, error) {
	names, _ := r.Names() // if the kubeconfig can't be read, only the leaves of the provider block are asked
	ctx, cancel := context.WithTimeout(ctx, timeToAsk)
	defer cancel() // of the waits; the connections complete, for callers that need these leaves
	type answer struct {
		name string
		leaf *Leaf
		err  error
	}
	answers := make(chan answer, len(names))
	for _, name := range names {
		go func() {
			leaf, err := r.Leaf(ctx, name)
			answers <- answer{name, leaf, err}
		}()
	}
	var found *Leaf
	var rivals []string // names that come before that of the found leaf and may stand for the same cluster
	asked, silent := slices.Clone(names), map[string]bool{}
	for len(asked) > 0 {
		a := <-answers
		hasAnswered := func(name string) bool { return name == a.name }
		asked, rivals = slices.DeleteFunc(asked, hasAnswered), slices.DeleteFunc(rivals, hasAnswered)
		silent[a.name] = a.err != nil && !NoLiqo(a.err)
		if a.err == nil && string(a.leaf.ID) == id && (found == nil || precedes(names, a.name, found.Name)) {
			found = a.leaf
			rivals = r.atAddressOf(a.name, slices.DeleteFunc(slices.Clone(asked), func(name string) bool {
				return precedes(names, a.name, name)
			}))
		}
		if found != nil && len(rivals) == 0 {
			return found, nil
		}
	}
	return nil, &UnknownIDError{
		ID: id, Names: names,
		Silent: slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !silent[name] }),
	}
}

// precedes reports whether one of the names comes before another.
func precedes(names []string, one, other string) bool {
	return slices.Index(names, one) < slices.Index(names, other)
}

// atAddressOf returns those of the other names that stand for an API server at the same address as this one. It does
// not ask a centre, which has the address of a leaf that is reached through it.
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
	if err != nil || credentials.Through != "" {
		return ""
	}
	config, err := credentials.restConfig()
	if err != nil {
		return ""
	}
	return config.Host
}
