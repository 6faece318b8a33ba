package shortcut

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// operations are all things that a provider does with a shortcut. Each continues from the one before.
var operations = []struct {
	name string
	do   func(context.Context, *Shortcut) error
}{
	{"connect", func(ctx context.Context, s *Shortcut) error { return s.Connect(ctx, overNodePort) }},
	{"observe", func(ctx context.Context, s *Shortcut) error {
		_, err := s.Observe(ctx)
		return err
	}},
	{"inspect", func(ctx context.Context, s *Shortcut) error {
		_, err := s.Inspect(ctx)
		return err
	}},
	{"survey", func(ctx context.Context, s *Shortcut) error {
		NewSurvey(ctx, []string{"rome", "milan"}, asking(func(name string) (*cluster.Leaf, error) {
			if name == "rome" {
				return s.Client.Leaf, nil
			}
			return s.Server.Leaf, nil
		}))
		return ctx.Err()
	}},
	{"update", func(ctx context.Context, s *Shortcut) error {
		spec := overNodePort
		spec.MTU = 1400
		return s.Connect(ctx, spec)
	}},
	{"refused connect", func(ctx context.Context, s *Shortcut) error {
		if err := New(s.Client.Leaf, s.Server.Leaf).OwnedBy(somebody).Connect(ctx, overNodePort); err == nil {
			return errors.New("it was not refused")
		}
		return ctx.Err()
	}},
	{"disconnect", func(ctx context.Context, s *Shortcut) error { return s.Disconnect(ctx, Removal{}) }},
}

func TestNothingRunsAfterAnOperation(t *testing.T) {
	rome, milan := romeAndMilan(t)
	s := New(rome, milan).OwnedBy(me)
	before := goleak.IgnoreCurrent()
	for _, operation := range operations {
		if err := operation.do(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", operation.name, err)
		}
		if err := goleak.Find(before); err != nil {
			t.Errorf("after %s: %v", operation.name, err)
		}
	}
}

func TestNothingRunsAfterAnInterruptedOperation(t *testing.T) {
	for _, operation := range operations {
		rome, milan := leafWith(t, "rome"), leafWith(t, "milan") // without Liqo, so nothing that is waited for happens
		before := goleak.IgnoreCurrent()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_ = operation.do(ctx, New(rome, milan).OwnedBy(owner.Owner{Token: operation.name})) // it may end before
		cancel()
		if err := goleak.Find(before); err != nil {
			t.Errorf("after %s: %v", operation.name, err)
		}
	}
}
