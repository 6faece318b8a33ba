package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/transport"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Config is the user's configuration of all leaves.
type Config struct {
	Kubeconfig    access.Kubeconfig             // the common kubeconfig, see [Credentials.NeedKubeconfig]
	Clusters      map[string]access.Credentials // keyed by the leaf's name
	LiqoNamespace string                        // where Liqo runs, unless the credentials of a cluster set it
	UserAgent     string                        // sent with every request

	// Prefetch reads ahead, while a leaf connects, what every caller will need of it. It may be nil, and it may fail:
	// whoever needs the answer asks again.
	Prefetch func(context.Context, *Leaf)
}

// Registry knows every leaf by name and connects to each at most once. It is safe for concurrent use.
type Registry struct {
	config Config

	// Caches outlive the request that started them, so their lifetime is the registry's, not a caller's context.
	lifetime context.Context // see above
	stop     context.CancelFunc

	mu       sync.Mutex
	attempts map[string]*attempt // the latest one for each leaf, keyed by the leaf's name

	patience patience              // usually [usualPatience]
	wrap     transport.WrapperFunc // replaces the network in tests; nil otherwise
}

// UnknownNameError means that a name is neither a cluster of the provider block nor a context of its kubeconfig.
type UnknownNameError struct {
	Name     string
	Clusters []string // names in the provider block, sorted
	Contexts []string // contexts of the kubeconfig, sorted
	Source   string   // describes the kubeconfig
}

// Error lists the existing names.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("%q is neither a cluster of the provider block (it has %s) nor a context of %s (it has %s)",
		e.Name, trouble.Quoted(e.Clusters), e.Source, trouble.Quoted(e.Contexts))
}

// NewRegistry returns a registry without connections. Close it when no leaf is needed any more.
func NewRegistry(config Config) *Registry {
	lifetime, stop := context.WithCancel(context.Background())
	config.Kubeconfig = config.Kubeconfig.Shared()
	return &Registry{
		config: config, lifetime: lifetime, stop: stop, attempts: map[string]*attempt{}, patience: usualPatience,
	}
}

// Close stops the caches and the credential plugins of all leaves.
func (r *Registry) Close() {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, attempt := range r.attempts {
		attempt.plugin.Load().End()
	}
}

// Leaf returns the connected leaf with this name: its API server has answered, it has Liqo and its ID is known. The
// first call for a name connects, and concurrent calls wait for it. The next call after a failure connects again,
// unless the API server did not answer at all: then every later call fails with the same error, because each attempt
// would take as long again. Errors are an [UnknownNameError], an [Error], or the context's.
func (r *Registry) Leaf(ctx context.Context, name string) (*Leaf, error) {
	return r.attempt(name).wait(ctx, r.patience) //nolint:contextcheck // it belongs to no caller
}

// Ask is [Registry.Leaf] with a question to the leaf, which it asks while it still connects, so that nobody waits for
// one round trip after the other. The leaf that the question gets has no ID yet. The question's context ends when the
// connection fails. Ask returns when the question has returned, with the error of the connection or else that of the
// question.
func (r *Registry) Ask(
	ctx context.Context, name string, question func(context.Context, *Leaf) error,
) (*Leaf, error) {
	attempt := r.attempt(name) //nolint:contextcheck // it belongs to no caller
	questionCtx, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan error, 1)
	go func() { answered <- attempt.ask(questionCtx, question) }()
	leaf, err := attempt.wait(ctx, r.patience)
	if err != nil {
		stop()
	}
	if failed := <-answered; err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return leaf, nil
}

// attempt returns the latest attempt to connect to a leaf. It begins another one if a retry can help.
func (r *Registry) attempt(name string) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	latest := r.attempts[name]
	if latest != nil && !latest.isOver() {
		return latest
	}
	if latest != nil {
		latest.stop()
	}
	ctx, stop := context.WithCancel(r.lifetime)
	latest = &attempt{
		name: name, wrap: r.wrap, health: newHealth(), stop: stop,
		dialled: make(chan struct{}), done: make(chan struct{}),
	}
	r.attempts[name] = latest
	go func() {
		defer close(latest.done)
		if latest.err = r.connect(ctx, latest); latest.err != nil {
			stop()
		}
		latest.ended = time.Now()
	}()
	return latest
}

func (r *Registry) connect(ctx context.Context, a *attempt) error {
	credentials, err := r.credentials(a.name)
	if err != nil {
		return err
	}
	if credentials.From != "" {
		if credentials, err = r.fromCentre(ctx, a.name, credentials); err != nil {
			return err
		}
	}
	return a.connect(ctx, credentials, r.config, r.patience)
}

// credentials returns the credentials of a leaf. An entry without a kubeconfig and host of its own uses the common
// kubeconfig. If the entry does not say which cluster it is for, or if there is no entry, the leaf is the context with
// its name. No other cluster is guessed.
func (r *Registry) credentials(name string) (access.Credentials, error) {
	credentials, listed := r.config.Clusters[name]
	if credentials.LiqoNamespace == "" {
		credentials.LiqoNamespace = r.config.LiqoNamespace
	}
	named := credentials.SayWhichCluster()
	if credentials.NeedKubeconfig() {
		credentials.Kubeconfig = r.config.Kubeconfig
	}
	if named {
		return credentials, nil
	}
	kubeconfig, err := r.config.Kubeconfig.View()
	if err != nil {
		return access.Credentials{}, unusable(name, err)
	}
	if _, ok := kubeconfig.Contexts[name]; !ok {
		return access.Credentials{}, r.noContext(name, listed)
	}
	credentials.Context = name
	return credentials, nil
}

// noContext returns the error for a name that must be a context of the common kubeconfig, but is not.
func (r *Registry) noContext(name string, listed bool) error {
	if listed {
		err := unusable(name, fmt.Errorf("the entry %q of `clusters` does not say which cluster it is for", name))
		err.Advice = fmt.Sprintf("By default it is for the context with its name, but %s has no context %q; it has %s. "+
			"Set `config_context`, `host` or a kubeconfig in the entry.",
			r.config.Kubeconfig.Describe(), name, trouble.Quoted(r.config.Kubeconfig.Contexts()))
		return err
	}
	return &UnknownNameError{
		Name:     name,
		Clusters: slices.Sorted(maps.Keys(r.config.Clusters)),
		Contexts: r.config.Kubeconfig.Contexts(),
		Source:   r.config.Kubeconfig.Describe(),
	}
}

// Names returns the names of all leaves: first those of the provider block, then the contexts of the kubeconfig, each
// sorted. If the kubeconfig can't be read, it returns the error and only the names of the provider block.
func (r *Registry) Names() ([]string, error) {
	names := slices.Sorted(maps.Keys(r.config.Clusters))
	kubeconfig, err := r.config.Kubeconfig.View()
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

// Listed returns the names of the clusters that the user means when naming none: those of the provider block or, if it
// has none, all contexts of the kubeconfig, sorted. The error says why the kubeconfig can't be read.
func (r *Registry) Listed() ([]string, error) {
	if len(r.config.Clusters) > 0 {
		return slices.Sorted(maps.Keys(r.config.Clusters)), nil
	}
	return r.Names()
}
