package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Config is what the user says of all leaves together.
type Config struct {
	Kubeconfig    Kubeconfig             // the common one: see [Credentials.NeedKubeconfig]
	Clusters      map[string]Credentials // keyed by the leaf's name
	LiqoNamespace string                 // where Liqo runs, unless a cluster says otherwise
	UserAgent     string                 // sent with every request
}

// Registry knows every leaf by name and connects to each at most once. It is safe for concurrent use.
type Registry struct {
	config Config

	// Caches outlive the request that started them, so their lifetime is the registry's, not a caller's context.
	lifetime context.Context //nolint:containedctx // see above
	stop     context.CancelFunc

	mu    sync.Mutex
	slots map[string]*slot // keyed by the leaf's name
}

// slot lets callers of one leaf wait for each other while those of another leaf go on. Holding the token is holding the slot.
type slot struct {
	token chan struct{}
	leaf  *Leaf // nil until it is connected
}

// UnknownNameError says that a name is neither a cluster of the provider block nor a context of its kubeconfig.
type UnknownNameError struct {
	Name     string
	Clusters []string // names in the provider block, sorted
	Contexts []string // contexts of the kubeconfig, sorted
	Source   string   // which kubeconfig that is
}

// Error lists the names there are.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("%q is no cluster of the provider block (it has %s) and no context of %s (it has %s)",
		e.Name, quoteList(e.Clusters), e.Source, quoteList(e.Contexts))
}

// NewRegistry returns a registry that has connected to nothing yet. Close it when no leaf is needed any more.
func NewRegistry(config Config) *Registry {
	lifetime, stop := context.WithCancel(context.Background())
	return &Registry{config: config, lifetime: lifetime, stop: stop, slots: map[string]*slot{}}
}

// Close stops the caches of all leaves.
func (r *Registry) Close() { r.stop() }

// Leaf is the leaf of that name, connected: its API server has answered, Liqo runs there and its ID is known. The first call for a name
// connects; calls that come meanwhile wait for it. A failed attempt is not remembered. Errors are an [UnknownNameError], a
// [LeafError], or the context's.
func (r *Registry) Leaf(ctx context.Context, name string) (*Leaf, error) {
	slot := r.slot(name)
	select {
	case slot.token <- struct{}{}:
		defer func() { <-slot.token }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if slot.leaf != nil && slot.leaf.broken() == nil {
		return slot.leaf, nil
	}
	credentials, err := r.credentials(name)
	if err != nil {
		return nil, err
	}
	leaf, err := connect(ctx, r.lifetime, name, credentials, r.config.UserAgent)
	if err != nil {
		return nil, err
	}
	slot.leaf = leaf
	return leaf, nil
}

func (r *Registry) slot(name string) *slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots[name] == nil {
		r.slots[name] = &slot{token: make(chan struct{}, 1)}
	}
	return r.slots[name]
}

// credentials finds what the user said of a leaf. An entry without a kubeconfig and host of its own stands on the common kubeconfig. Which of its clusters is
// meant is never guessed: where the entry does not say, and for a name without an entry, it is the context of that name.
func (r *Registry) credentials(name string) (Credentials, error) {
	credentials, listed := r.config.Clusters[name]
	if credentials.LiqoNamespace == "" {
		credentials.LiqoNamespace = r.config.LiqoNamespace
	}
	named := credentials.sayWhichCluster()
	if credentials.NeedKubeconfig() {
		credentials.Kubeconfig = r.config.Kubeconfig
	}
	if named {
		return credentials, nil
	}
	kubeconfig, err := r.config.Kubeconfig.load()
	if err != nil {
		return Credentials{}, err
	}
	if _, ok := kubeconfig.Contexts[name]; !ok {
		return Credentials{}, r.noContext(name, listed)
	}
	credentials.Context = name
	return credentials, nil
}

// noContext is the error for a name that is no context of the common kubeconfig, and has to be one.
func (r *Registry) noContext(name string, listed bool) error {
	if listed {
		return fmt.Errorf("the entry %q of `clusters` does not say which cluster it is for. So it stands for the context of its own name, and %s has no "+
			"context %q; it has %s. Give the entry `config_context`, or a kubeconfig or a `host` of its own",
			name, r.config.Kubeconfig.describe(), name, quoteList(r.config.Kubeconfig.contexts()))
	}
	return &UnknownNameError{
		Name:     name,
		Clusters: slices.Sorted(maps.Keys(r.config.Clusters)),
		Contexts: r.config.Kubeconfig.contexts(),
		Source:   r.config.Kubeconfig.describe(),
	}
}

// Names are all the names that stand for a leaf: those of the provider block first, then the contexts of the kubeconfig, each sorted. With an error, which says
// why the kubeconfig can't be read, they are those of the provider block alone.
func (r *Registry) Names() ([]string, error) {
	names := slices.Sorted(maps.Keys(r.config.Clusters))
	kubeconfig, err := r.config.Kubeconfig.load()
	if err != nil {
		return names, err
	}
	for _, context := range slices.Sorted(maps.Keys(kubeconfig.Contexts)) {
		if !slices.Contains(names, context) {
			names = append(names, context)
		}
	}
	return names, nil
}

// Listed are the names of the clusters that the user means when naming none: those of the provider block or, where it has none, all contexts of the
// kubeconfig, sorted. The error tells why the kubeconfig can't be read.
func (r *Registry) Listed() ([]string, error) {
	if len(r.config.Clusters) > 0 {
		return slices.Sorted(maps.Keys(r.config.Clusters)), nil
	}
	kubeconfig, err := r.config.Kubeconfig.load()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(kubeconfig.Contexts)), nil
}
