package cluster

import (
	"context"
	"fmt"
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

// LeafByID returns the connected leaf with this cluster ID, whatever its name. It asks all leaves
// in parallel, and ignores leaves that it can't connect to. If a cluster has several names,
// LeafByID uses the first one of [Registry.Names]. The error is an [UnknownIDError].
func (r *Registry) LeafByID(ctx context.Context, id string) (*Leaf, error) {
	names, _ := r.Names() // if the kubeconfig can't be read, only the leaves of the provider block are asked
	type answer struct {
		leaf *Leaf
		err  error
	}
	answers := make([]chan answer, len(names))
	ctx, cancel := context.WithTimeout(ctx, timeToAsk)
	defer cancel() // of the waits; the connections complete, for callers that need these leaves
	for i, name := range names {
		answers[i] = make(chan answer, 1)
		go func() {
			leaf, err := r.Leaf(ctx, name)
			answers[i] <- answer{leaf, err}
		}()
	}
	unknown := &UnknownIDError{ID: id, Names: names}
	for i, name := range names {
		switch a := <-answers[i]; {
		case a.err == nil && string(a.leaf.ID) == id:
			return a.leaf, nil
		case a.err != nil && !NoLiqo(a.err):
			unknown.Silent = append(unknown.Silent, name)
		}
	}
	return nil, unknown
}
