package cluster

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	liqoutils "github.com/liqotech/liqo/pkg/utils"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// timeToAnswer limits the first request to an API server. A network that drops its packets must not delay a plan for
// longer. The limit does not apply to a leaf with a credential plugin, because a plugin may wait for its user.
const timeToAnswer = 15 * time.Second

// attempt is one attempt to connect to a leaf. It belongs to no caller, so the end of a caller's context does not end
// it for the others.
type attempt struct {
	name   string
	wrap   transport.WrapperFunc // see [Registry.wrap]
	health *health
	stop   context.CancelFunc // ends the attempt, and later the leaf's caches

	done chan struct{} // closed when the attempt has ended, with one of these:
	leaf *Leaf
	err  error
}

// isOver reports whether another attempt may have another result than this one. If an API server did not answer,
// another attempt takes as long again.
func (a *attempt) isOver() bool {
	select {
	case <-a.done:
	default:
		return false
	}
	if a.err != nil {
		return !isSilence(a.err)
	}
	return a.health.err() != nil // the caches have ended for good
}

// isSilence reports whether an error means that nothing answered in time.
func isSilence(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// late returns the error of a caller whose context ends before the attempt.
func (a *attempt) late(ctx context.Context) error {
	err := context.Cause(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	leaf := &Leaf{Name: a.name}
	if last := a.health.lastErr(); last != nil {
		return leaf.Explain(errors.Join(err, last))
	}
	explained := classifyConnection(err)
	explained.Leaf, explained.Err, explained.unanswered = a.name, err, true
	return explained
}

// connect reads the leaf's ID and its address ranges and starts its caches, all in parallel. The
// caches run until ctx ends.
func (a *attempt) connect(
	ctx context.Context, credentials Credentials, userAgent string, timeToAnswer time.Duration,
) (*Leaf, error) {
	config, err := credentials.restConfig()
	if err != nil {
		return nil, &Error{Leaf: a.name, Summary: "credentials can't be used", Err: err}
	}
	config.UserAgent = userAgent
	config.QPS = -1 // API servers protect themselves; a second limit here would only add delays
	config.WarningHandler = rest.NoWarnings{}
	config.Wrap(a.wrap)

	leaf, objects, err := assemble(a.name, config, credentials.LiqoNamespace, a.health)
	if err != nil {
		return nil, &Error{Leaf: a.name, Summary: "credentials can't be used", Err: err}
	}
	leaf.through = credentials.Through
	synced, err := startCaches(ctx, objects, a.health)
	if err != nil {
		return nil, leaf.Explain(err)
	}
	var networks sync.WaitGroup
	networks.Go(func() { _, _ = leaf.Networks(ctx) }) // every plan needs them; after a failure the caller tries again
	// The request for the ID shows most clearly what is wrong with the credentials or the cluster.
	// So its error comes first.
	if err := leaf.readID(ctx, config.ExecProvider == nil, timeToAnswer); err != nil {
		return nil, err
	}
	if err := leaf.checkIdentity(credentials); err != nil {
		return nil, err
	}
	if err := <-synced; err != nil {
		return nil, leaf.Explain(err)
	}
	networks.Wait()
	a.health.start()
	return leaf, nil
}

// readID reads the leaf's ID from its API server.
func (l *Leaf) readID(ctx context.Context, limited bool, timeToAnswer time.Duration) (err error) {
	if limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeToAnswer)
		defer cancel()
	}
	if l.ID, err = liqoutils.GetClusterIDWithControllerClient(ctx, l.Live, l.LiqoNamespace); err != nil {
		return l.explainMissingID(err)
	}
	return nil
}
