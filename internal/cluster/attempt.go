package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// patience is how long an attempt waits.
type patience struct {
	// answer limits the first request to an API server. A network that drops its packets must not delay a plan for longer.
	// The limit begins when the request is sent, after a credential plugin has ended, which may wait for its user.
	answer time.Duration
	// plugin is how often the log says that a credential plugin is awaited. Terraform shows nothing else meanwhile.
	plugin time.Duration
	// fill limits what follows. An API server or a proxy may answer single requests and hold back streams.
	fill time.Duration
}

var usualPatience = patience{answer: 15 * time.Second, plugin: 10 * time.Second, fill: time.Minute}

// attempt is one attempt to connect to a leaf. It belongs to no caller, so the end of a caller's context does not end
// it for the others.
type attempt struct {
	name   string
	wrap   transport.WrapperFunc // see [Registry.wrap]
	health *health
	stop   context.CancelFunc // ends the attempt, and later the leaf's caches

	plugin atomic.Pointer[access.Plugin] // the credential plugin; nil without one

	dialled chan struct{} // closed when the leaf can be asked, although it has no ID yet; not if that fails
	done    chan struct{} // closed when the attempt has ended
	leaf    *Leaf         // set before dialled is closed
	err     error         // set before done is closed
	ended   time.Time     // set before done is closed
}

// unusable is the error of a leaf whose credentials can't be turned into a connection.
func unusable(name string, err error) *Error {
	return Found(trouble.Problem{
		ID: "credentials-unusable", Leaf: name, Summary: "credentials can't be used", Err: err,
	})
}

// isOver reports whether another attempt may have another result than this one. If an API server did not answer,
// another attempt takes as long again.
func (a *attempt) isOver() bool {
	select {
	case <-a.done:
	default:
		return false
	}
	switch {
	case apierrors.IsUnauthorized(a.err), isA[*access.PluginError](a.err):
		return time.Since(a.ended) >= access.RefusalKept
	case a.err != nil:
		return !isSilence(a.err)
	}
	return a.health.err() != nil // the caches have ended for good
}

// wait returns the connected leaf or the error of the attempt when it has ended.
func (a *attempt) wait(ctx context.Context, patience patience) (*Leaf, error) {
	for awaited := time.Tick(patience.plugin); ; {
		select {
		case <-a.done:
			if a.err != nil {
				return nil, a.err
			}
			return a.leaf, nil
		case <-ctx.Done():
			return nil, a.late(ctx)
		case <-awaited:
			if said, waits := a.plugin.Load().Waits(); waits {
				tflog.Warn(ctx, "waiting for a credential plugin", map[string]any{"leaf": a.name, "plugin_says": said})
			}
		}
	}
}

// ask puts a question to the leaf as soon as there are clients for it.
func (a *attempt) ask(ctx context.Context, question func(context.Context, *Leaf) error) error {
	select {
	case <-a.dialled:
		return question(ctx, a.leaf)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// late returns the error of a caller whose context ends before the attempt. The leaf may be only slow, so it is not
// lost.
func (a *attempt) late(ctx context.Context) error {
	err := context.Cause(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	plugin := a.plugin.Load()
	if said, waits := plugin.Waits(); waits {
		return Found(trouble.Problem{
			ID: "credential-plugin-waits", Leaf: a.name, Summary: "the credential plugin has not ended",
			Advice: "Perhaps it waits for a log-in. Nothing was sent to the leaf. Run the `exec` command of the " +
				"provider block or the kubeconfig once by hand.",
			Err: plugin.Silent(said),
		})
	}
	return a.silent(err)
}

// silent returns the error of a leaf of which something is still awaited when the time is over.
func (a *attempt) silent(err error) error {
	leaf := &Leaf{Name: a.name}
	if last := a.health.lastErr(); last != nil {
		return leaf.Explain(errors.Join(err, last))
	}
	explained := classifyConnection(err).because(a.name, err, unanswered)
	explained.lost = false
	return explained
}

// dial makes the leaf, starts its caches, which run until ctx ends, and returns at once. The first request is sent by
// first. The channel receives nil once the caches are filled, or the error that prevents it.
func (a *attempt) dial(
	ctx context.Context, config *rest.Config, credentials access.Credentials, first transport.WrapperFunc,
) (<-chan error, error) {
	leaf, objects, err := assemble(a.name, config, a.plugin.Load(), a.health, first)
	if err != nil {
		return nil, unusable(a.name, err)
	}
	leaf.LiqoNamespace, leaf.credentialsFrom = credentials.LiqoNamespace, credentials.From
	synced, err := startCaches(ctx, objects, a.health)
	if err != nil {
		return nil, leaf.Explain(err)
	}
	a.leaf = leaf
	close(a.dialled)
	return synced, nil
}

// connect reads the leaf's ID, fetches what the configuration says and fills the caches, all in parallel. The caches
// run until ctx ends.
func (a *attempt) connect(
	ctx context.Context, credentials access.Credentials, config Config, patience patience,
) error {
	dialled, err := a.prepare(ctx, credentials, config)
	if err != nil {
		return err
	}
	within, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	begin := func() { time.AfterFunc(patience.answer, func() { giveUp(context.DeadlineExceeded) }) }
	synced, err := a.dial(ctx, dialled, credentials, newOpening(within.Done(), begin))
	if err != nil {
		return err
	}
	filled := make(chan error, 1)
	go func() {
		if config.Prefetch != nil {
			config.Prefetch(ctx, a.leaf)
		}
		filled <- <-synced
	}()
	// The request for the ID shows most clearly what is wrong with the credentials or the cluster. So its error comes
	// first.
	if err := a.leaf.readID(lateLimit{within}); err != nil { //nolint:contextcheck // it is within ctx
		return err
	}
	if err := a.leaf.checkIdentity(credentials); err != nil {
		return err
	}
	select {
	case err := <-filled:
		if err != nil {
			return a.leaf.Explain(err)
		}
	case <-time.After(patience.fill):
		return a.silent(context.DeadlineExceeded)
	}
	a.health.start()
	return nil
}

// prepare returns how to reach the leaf, and takes the credential plugin if there is one.
func (a *attempt) prepare(ctx context.Context, credentials access.Credentials, config Config) (*rest.Config, error) {
	dialled, err := credentials.RESTConfig()
	if err != nil {
		return nil, unusable(a.name, err)
	}
	dialled.UserAgent = config.UserAgent
	dialled.QPS = -1 // API servers protect themselves; a second limit here would only add delays
	dialled.WarningHandler = rest.NoWarnings{}
	dialled.Wrap(a.wrap)
	plugin, err := access.TakePlugin(ctx, dialled)
	if err != nil {
		return nil, unusable(a.name, err)
	}
	a.plugin.Store(plugin)
	return dialled, nil
}

// lateLimit is a context with a limit that begins later than the context.
type lateLimit struct{ context.Context }

// Err implements [context.Context].
func (l lateLimit) Err() error {
	if l.Context.Err() == nil {
		return nil
	}
	return context.Cause(l.Context)
}

// readID reads the leaf's ID from its API server, and the UID of the ConfigMap that has it.
func (l *Leaf) readID(ctx context.Context) error {
	var holders corev1.ConfigMapList
	err := l.List(ctx, &holders, client.InNamespace(l.LiqoNamespace),
		client.MatchingLabelsSelector{Selector: consts.ClusterIDConfigMapSelector()})
	if err != nil {
		return err
	}
	if len(holders.Items) == 0 {
		return l.withoutID()
	}
	if err := l.checkHolders(holders.Items); err != nil {
		return err
	}
	holder := &holders.Items[0]
	l.ID, l.UID = liqov1beta1.ClusterID(holder.Data[consts.ClusterIDConfigMapKey]), holder.UID
	return nil
}

// checkHolders fails unless there is one ConfigMap with a cluster ID. The ID becomes part of names, of label selectors
// on other leaves, and of code that users copy.
func (l *Leaf) checkHolders(holders []corev1.ConfigMap) error {
	var problem, advice string
	name := fmt.Sprintf("%.100s/%.100s", holders[0].Namespace, holders[0].Name)
	id, found := holders[0].Data[consts.ClusterIDConfigMapKey]
	switch {
	case len(holders) > 1:
		names := map[string]bool{}
		for i := range holders {
			names[holders[i].Namespace+"/"+holders[i].Name] = true
		}
		problem = "several ConfigMaps have Liqo's label for it: " + trouble.Quoted(slices.Sorted(maps.Keys(names)))
		advice = "Liqo has made one of them. Delete the others, or remove the label " +
			consts.ClusterIDConfigMapSelector().String() + " from them."
	case !found:
		problem = fmt.Sprintf("ConfigMap %s has no %#q", name, consts.ClusterIDConfigMapKey)
		advice = "Write the former ID back. On other clusters, the ForeignCluster for this one has it as its name."
	case len(validation.IsDNS1123Label(id)) > 0:
		problem = fmt.Sprintf("ConfigMap %s has the ID %.100q", name, id)
		advice = "An ID has lower-case letters, digits and dashes, and at most 63 characters. Liqo has no others, so find " +
			"out who has changed the ConfigMap."
	default:
		return nil
	}
	return Found(trouble.Problem{
		ID: "cluster-id-invalid", Leaf: l.Name, Summary: "it has no valid cluster ID",
		Advice: advice, Err: errors.New(problem),
	})
}
