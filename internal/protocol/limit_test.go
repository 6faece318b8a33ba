package protocol

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

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

// watches returns a channel that is closed when the provider begins to wait for a change of one object of the leaf.
func (p *leaf) watches(plural, name string) <-chan struct{} {
	begun := make(chan struct{})
	happens := sync.OnceFunc(func() { close(begun) })
	p.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		if query.Has("watch") && strings.HasSuffix(r.URL.Path, "/"+plural) &&
			query.Get("fieldSelector") == "metadata.name="+name {
			happens()
		}
		return false
	})
	return begun
}

func TestATimeThatIsOverEndsAContextAsADeadlineDoes(t *testing.T) {
	over := make(chan struct{})
	ctx, cancel := context.WithTimeout(timed{t.Context(), over}, time.Hour)
	defer cancel()
	if ctx.Err() != nil {
		t.Fatal(ctx.Err())
	}
	close(over)
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Errorf("%v, because of %v", ctx.Err(), context.Cause(ctx))
	}
}
