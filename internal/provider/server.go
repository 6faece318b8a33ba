package provider

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Serve serves the provider to Terraform until Terraform ends it. Address is the provider's address in Terraform's
// registry. With debug, it prints how Terraform attaches, and waits for that.
func (p *Provider) Serve(address string, debug bool) error {
	framework, ok := providerserver.NewProtocol6(p)().(frameworkServer)
	if !ok {
		return errors.New("the framework does not serve everything that Terraform may ask for")
	}
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return server{framework} }, options...)
}

// frameworkServer is everything that the framework serves.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// server is the framework's server without its memory. The framework (1.19) keeps the context of each request until the
// provider ends, in registerContext, and so all that the request has logged with: 11 KB for each of the requests for
// each resource. An apply of 1,035 shortcuts took 427 MB at most, and takes 348 MB so. No issue of the framework is
// about it. The context that it gets here forgets the request when that is answered.
type server struct{ frameworkServer }

// answer serves a request with a context that ends with the answer.
func answer[Q, A any](ctx context.Context, serve func(context.Context, Q) (A, error), request Q) (A, error) {
	forgetful := &requestContext{}
	forgetful.of.Store(&ctx)
	defer forgetful.forget()         //nolint:contextcheck // the request is over
	return serve(forgetful, request) //nolint:contextcheck // it stands for the request's
}

// UpgradeResourceState implements [tfprotov6.ResourceServer].
func (s server) UpgradeResourceState(
	ctx context.Context, request *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(ctx, s.frameworkServer.UpgradeResourceState, request)
}

// ValidateResourceConfig implements [tfprotov6.ResourceServer].
func (s server) ValidateResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return answer(ctx, s.frameworkServer.ValidateResourceConfig, request)
}

// ReadResource implements [tfprotov6.ResourceServer].
func (s server) ReadResource(
	ctx context.Context, request *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return answer(ctx, s.frameworkServer.ReadResource, request)
}

// PlanResourceChange implements [tfprotov6.ResourceServer].
func (s server) PlanResourceChange(
	ctx context.Context, request *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return answer(ctx, s.frameworkServer.PlanResourceChange, request)
}

// ApplyResourceChange implements [tfprotov6.ResourceServer].
func (s server) ApplyResourceChange(
	ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return answer(ctx, s.frameworkServer.ApplyResourceChange, request)
}

// requestContext is the context of a request until it is answered.
type requestContext struct {
	of atomic.Pointer[context.Context]
}

// forget ends the context, which then keeps nothing of the request.
func (r *requestContext) forget() { r.of.Store(&answered) }

// answered is the context of all requests that are answered.
var answered = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Deadline implements [context.Context].
func (r *requestContext) Deadline() (time.Time, bool) { return (*r.of.Load()).Deadline() }

// Done implements [context.Context].
func (r *requestContext) Done() <-chan struct{} { return (*r.of.Load()).Done() }

// Err implements [context.Context].
func (r *requestContext) Err() error { return (*r.of.Load()).Err() }

// Value implements [context.Context].
func (r *requestContext) Value(key any) any { return (*r.of.Load()).Value(key) }
