package provider

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// heavy is what the context of a request carries in these tests.
type heavy struct{ _ [1 << 10]byte }

type heavyKey struct{}

func TestNothingIsKeptOfARequestThatIsAnswered(t *testing.T) {
	framework, ok := providerserver.NewProtocol6(New("test"))().(frameworkServer)
	if !ok {
		t.Fatal("the framework does not serve everything")
	}
	served := server{framework}
	const name = "liqo_shortcut"
	for rpc, request := range map[string]func(context.Context) error{
		"UpgradeResourceState": func(ctx context.Context) error {
			_, err := served.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
				TypeName: name, RawState: &tfprotov6.RawState{JSON: []byte(`{}`)},
			})
			return err
		},
		"ValidateResourceConfig": func(ctx context.Context) error {
			_, err := served.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name})
			return err
		},
		"ReadResource": func(ctx context.Context) error {
			_, err := served.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: name})
			return err
		},
		"PlanResourceChange": func(ctx context.Context) error {
			_, err := served.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: name})
			return err
		},
		"ApplyResourceChange": func(ctx context.Context) error {
			_, err := served.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{TypeName: name})
			return err
		},
	} {
		t.Run(rpc, func(t *testing.T) {
			kept := weaklyCarried(t, request)
			runtime.GC()
			if kept.Value() != nil {
				t.Error("the context of the request is still in memory")
			}
			runtime.KeepAlive(served)
		})
	}
}

// weaklyCarried returns what the context of a request has carried.
func weaklyCarried(t *testing.T, request func(context.Context) error) weak.Pointer[heavy] {
	t.Helper()
	carried := &heavy{}
	if err := request(context.WithValue(t.Context(), heavyKey{}, carried)); err != nil {
		t.Fatal(err)
	}
	return weak.Make(carried)
}

func TestAContextIsTheRequestsUntilItIsAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), heavyKey{}, "carried"))
	given := make(chan context.Context, 1)
	_, err := answer(ctx, func(ctx context.Context, _ any) (any, error) {
		given <- ctx
		derived, stop := context.WithCancel(ctx)
		defer stop()
		cancel()
		<-derived.Done()
		if ctx.Value(heavyKey{}) != "carried" || !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("it carries %v and has ended with %v", ctx.Value(heavyKey{}), ctx.Err())
		}
		return nil, nil // an answer
	}, any(nil))
	during := <-given
	if err != nil || during.Value(heavyKey{}) != nil || !errors.Is(during.Err(), context.Canceled) {
		t.Errorf("afterwards it carries %v and has ended with %v (%v)", during.Value(heavyKey{}), during.Err(), err)
	}
}
