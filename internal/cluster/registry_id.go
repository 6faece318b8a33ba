package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// timeToAsk is how long a leaf may take to tell its ID while another one is looked for: one that hangs must not hold up what has nothing to do with it.
const timeToAsk = 20 * time.Second

// UnknownIDError says that none of the leaves that could be asked has a cluster ID.
type UnknownIDError struct {
	ID     string
	Names  []string // of the leaves that were asked
	Silent []string // those of them that did not say whether it is theirs
}

// Error lists the leaves, and those whose ID nobody knows.
func (e *UnknownIDError) Error() string {
	text := fmt.Sprintf("none of the leaves %s has the cluster ID %q", quoteList(e.Names), e.ID)
	if len(e.Silent) > 0 {
		text += fmt.Sprintf(", as far as they could be asked: %s could not", quoteList(e.Silent))
	}
	return text
}

// LeafByID is the leaf with this cluster ID, whatever it is called, connected. It asks every leaf there is, all at once; that some can't be connected to is no
// obstacle. Of several names of one cluster the first of [Registry.Names] is taken. The error is an [UnknownIDError].
func (r *Registry) LeafByID(ctx context.Context, id string) (*Leaf, error) {
	names, _ := r.Names() // without the kubeconfig, the others are asked
	type answer struct {
		leaf *Leaf
		err  error
	}
	answers := make([]chan answer, len(names))
	ctx, cancel := context.WithTimeout(ctx, timeToAsk)
	var asked sync.WaitGroup
	for i, name := range names {
		answers[i] = make(chan answer, 1)
		asked.Go(func() {
			leaf, err := r.Leaf(ctx, name)
			answers[i] <- answer{leaf, err}
		})
	}
	go func() { // whoever needs one of the other leaves need not begin again
		asked.Wait()
		cancel()
	}()
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
