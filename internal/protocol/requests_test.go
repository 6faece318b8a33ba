package protocol

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// mostRequests is the maximum number of requests of a refresh to one leaf, for any number of shortcuts.
const mostRequests = 12

func TestARefreshOfThreeShortcutsNeedsTheSameRequestsAsOfOne(t *testing.T) {
	_, p := applied(t, shortcut(), topology...)
	forOne := p.refreshed()
	p.configure(shortcut() + named("rome_naples", "rome", "naples", overNodePort) +
		named("milan_naples", "milan", "naples", overNodePort))
	p.apply()
	forThree := p.refreshed()

	for _, name := range []string{"rome", "milan"} {
		if all := len(forOne[name]); all == 0 || all > mostRequests {
			t.Errorf("a refresh of one shortcut makes %d requests to %s, not 1 to %d:\n%v",
				all, name, mostRequests, forOne[name])
		}
		if !slices.Equal(forOne[name], forThree[name]) {
			t.Errorf("requests of a refresh to %s for one shortcut:\n%v\nfor three:\n%v",
				name, forOne[name], forThree[name])
		}
	}
	if !slices.Equal(forThree["naples"], forThree["rome"]) {
		t.Errorf("requests of a refresh of three shortcuts to naples:\n%v\nto rome:\n%v",
			forThree["naples"], forThree["rome"])
	}
}

// refreshed returns the requests of a plan without changes, sorted, by the names of the leaves.
func (p *project) refreshed() map[string][]clustertest.Request {
	p.t.Helper()
	for _, one := range p.leaves.all {
		one.Take() // only later ones
	}
	p.plan().isEmpty().doesNotSay("can't be read") // a leaf that is left out is asked for less
	requests := map[string][]clustertest.Request{}
	for name, one := range p.leaves.all {
		requests[name] = one.Take()
		slices.SortFunc(requests[name], func(a, b clustertest.Request) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
		})
	}
	return requests
}

// writes returns the requests of the provider since the last call that may change something, on any leaf.
func (l *leaves) writes() []clustertest.Request {
	var all []clustertest.Request
	for _, one := range l.all {
		all = append(all, slices.DeleteFunc(one.Take(), func(r clustertest.Request) bool { return !r.Writes() })...)
	}
	return all
}

// writesNothing fails the test if the provider has sent such requests since the last call.
func (l *leaves) writesNothing() {
	l.t.Helper()
	if written := l.writes(); len(written) > 0 {
		l.t.Errorf("the provider has sent %v", written)
	}
}

// to is for requests with this method to a path with this end.
func to(method, path string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == method && strings.HasSuffix(r.URL.Path, path) }
}

// refuses lets the leaf refuse some requests with this message, as for want of permission.
func (p *leaf) refuses(some func(*http.Request) bool, message string) {
	p.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		refused := some(r)
		if refused {
			clustertest.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, message)
		}
		return refused
	})
}

// when lets react answer the first of some requests. It returns a channel that is closed when react calls happens.
func (p *leaf) when(
	some func(*http.Request) bool, react func(_ http.ResponseWriter, _ *http.Request, happens func()),
) <-chan struct{} {
	happened := make(chan struct{})
	var later atomic.Bool
	p.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if !some(r) || later.Swap(true) {
			return false
		}
		react(w, r, func() { close(happened) })
		return true
	})
	return happened
}

// stopsAt stops the leaf when it gets a request. It returns a channel that is closed when the leaf does not answer any
// more.
func (p *leaf) stopsAt(method, path string) <-chan struct{} {
	return p.when(to(method, path), func(_ http.ResponseWriter, r *http.Request, happens func()) {
		p.Disturb(nil)
		go func() {
			defer happens()
			p.Stop()
		}()
		<-r.Context().Done() // nobody gets an answer
	})
}

// gets returns a channel that is closed when the leaf has answered such a request.
func (p *leaf) gets(method, path string) <-chan struct{} {
	return p.when(to(method, path), func(w http.ResponseWriter, r *http.Request, happens func()) {
		defer happens()
		p.Forward.ServeHTTP(w, r)
	})
}

// watches returns a channel that is closed when the provider begins to wait for a change of one object of the leaf.
func (p *leaf) watches(plural, name string) <-chan struct{} {
	begins := func(r *http.Request) bool {
		query := r.URL.Query()
		return query.Has("watch") && strings.HasSuffix(r.URL.Path, "/"+plural) &&
			query.Get("fieldSelector") == "metadata.name="+name
	}
	return p.when(begins, func(w http.ResponseWriter, r *http.Request, happens func()) {
		happens()
		p.Forward.ServeHTTP(w, r)
	})
}

// grace is how long an operation goes on after what ends its time. In it, the provider does what it may do wrong.
const grace = 2 * time.Second

// runsOut is `terraform apply` whose time is over soon after something happens. It must fail and say these sentences.
// A limit in `timeouts` would count from the start of the apply, and so decide how fast a machine must be.
func (p *project) runsOut(after <-chan struct{}, sentences ...string) *outcome {
	p.t.Helper()
	defer p.limit(after)()
	return p.applyFails(sentences...)
}

// limit lets the time of applies end soon after something happens, until the returned function is called.
func (p *project) limit(after <-chan struct{}) (unlimited func()) {
	over := make(chan struct{})
	p.over = over
	go func() {
		select {
		case <-after:
			time.AfterFunc(grace, func() { close(over) })
		case <-p.t.Context().Done():
		}
	}()
	return func() { p.over = nil }
}

// server is a provider as Terraform knows it.
type server interface {
	tfprotov6.ProviderServerWithListResource //nolint:staticcheck // ProviderServer does not have its methods yet
	tfprotov6.ProviderServerWithActions      //nolint:staticcheck // as above
}

// limited is a provider whose applies have the time that the project gives them.
type limited struct {
	server

	project *project
}

// newServer returns a server of a provider.
func (p *project) newServer(of *provider.Provider) limited {
	whole := providerserver.NewProtocol6(of)().(server) //nolint:errcheck,forcetypeassert // the framework serves all
	return limited{whole, p}
}

// ApplyResourceChange implements [tfprotov6.ProviderServer].
func (l limited) ApplyResourceChange(
	ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest, //nolint:contextcheck // it has the values of ctx
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if over := l.project.over; over != nil {
		ctx = timed{context.WithoutCancel(ctx), over}
	}
	return l.server.ApplyResourceChange(ctx, request)
}

// timed is a context whose time is over when a channel is closed.
type timed struct {
	context.Context

	over <-chan struct{}
}

// Done implements [context.Context].
func (t timed) Done() <-chan struct{} { return t.over }

// Err implements [context.Context].
func (t timed) Err() error {
	select {
	case <-t.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
