package steps_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

func TestAStepComesAfterThoseWhoseResultsItNeeds(t *testing.T) {
	r := steps.New(t.Context(), "test")
	first := steps.Do(r, "rome", "first", func(context.Context) (string, error) { return "first", nil })
	second := steps.With(r, "rome", "second", first, func(_ context.Context, first string) (string, error) {
		return "second after " + first, nil
	})
	var third string
	steps.With2(r, "rome", "third", first, second, func(_ context.Context, first, second string) (steps.None, error) {
		third = "third after " + first + " and " + second
		return steps.None{}, nil
	})
	if err := r.Wait(); err != nil || third != "third after first and second after first" {
		t.Errorf("the order was %s (%v)", third, err)
	}
}

func TestStepsThatDoNotDependOnEachOtherRunAtTheSameTime(t *testing.T) {
	r := steps.New(t.Context(), "test")
	met := make(chan struct{})
	steps.Do(r, "rome", "call", func(context.Context) (steps.None, error) {
		met <- struct{}{}
		return steps.None{}, nil
	})
	steps.Do(r, "milan", "answer", func(context.Context) (steps.None, error) { <-met; return steps.None{}, nil })
	if err := r.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestAFailureEndsTheOtherStepsAndIsTheOnlyErrorShown(t *testing.T) {
	for name, ended := range map[string]func(context.Context) error{
		"a wait":                       context.Cause,
		"a request that was under way": func(ctx context.Context) error { return fmt.Errorf("get: %w", ctx.Err()) },
		"a cache that was still filling": func(context.Context) error {
			return apierrors.NewTimeoutError("failed waiting for Informer to sync", 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, begun := steps.New(t.Context(), "test"), make(chan struct{})
			failing := steps.Do(r, "rome", "fail", func(context.Context) (steps.None, error) {
				<-begun
				return steps.None{}, errors.New("the reason")
			})
			steps.Do(r, "milan", "wait", func(ctx context.Context) (steps.None, error) {
				close(begun)
				<-ctx.Done()
				return steps.None{}, ended(ctx)
			})
			steps.Do(r, "rome", "never", func(context.Context) (steps.None, error) {
				t.Error("a step ran after one that failed")
				return steps.None{}, nil
			}, failing)
			failure, ok := errors.AsType[*steps.Failure](r.Wait())
			if !ok || failure.Err.Error() != "the reason" {
				t.Fatalf("got: %v", failure)
			}
			const ledger = "  not done   rome: fail\n  not done   milan: wait\n  not begun  rome: never"
			if got := failure.Ledger(); got != ledger {
				t.Errorf("the ledger is:\n%s", got)
			}
		})
	}
}

func TestAFailureOnOneLeafLeavesIndependentStepsAlone(t *testing.T) {
	r, failed, worked := steps.NewIndependent(t.Context(), "test"), make(chan struct{}), false
	steps.Do(r, "rome", "fail", func(context.Context) (steps.None, error) {
		defer close(failed)
		return steps.None{}, errors.New("the reason")
	})
	steps.Do(r, "milan", "work", func(ctx context.Context) (steps.None, error) {
		<-failed
		worked = ctx.Err() == nil
		return steps.None{}, nil
	})
	failure, failedRun := errors.AsType[*steps.Failure](r.Wait())
	if !failedRun || !worked {
		t.Fatalf("the other leaf's step worked: %t; the run failed: %t", worked, failedRun)
	}
	if got := failure.Ledger(); got != "  not done   rome: fail\n  done       milan: work" {
		t.Errorf("the ledger is:\n%s", got)
	}
}

func TestADeadlineLetsEveryWaitingStepSayWhatItWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r := steps.New(ctx, "test")
		for _, leaf := range []string{"rome", "milan"} {
			steps.Do(r, leaf, "wait", func(ctx context.Context) (steps.None, error) {
				<-ctx.Done()
				return steps.None{}, fmt.Errorf("gave up on %s: %w", leaf, context.Cause(ctx))
			})
		}
		err := r.Wait()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("not a deadline: %v", err)
		}
		for _, leaf := range []string{"gave up on rome", "gave up on milan"} {
			if !strings.Contains(err.Error(), leaf) {
				t.Errorf("the error does not say %q:\n%v", leaf, err)
			}
		}
	})
}

func TestARunThatIsAbortedFromOutsideSaysWhyAndNothingElse(t *testing.T) {
	r, begun := steps.New(t.Context(), "test"), make(chan struct{})
	steps.Do(r, "rome", "wait", func(ctx context.Context) (steps.None, error) {
		close(begun)
		<-ctx.Done()
		return steps.None{}, errors.New("a consequence")
	})
	<-begun
	reason := errors.New("the lease is lost")
	r.Abort(reason)
	failure, ok := errors.AsType[*steps.Failure](r.Wait())
	if !ok || !errors.Is(failure.Err, reason) || strings.Contains(failure.Error(), "consequence") {
		t.Errorf("got: %v", failure)
	}
}

func TestARunThatIsCancelledBeforeItsFirstStepFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := steps.New(ctx, "test")
	steps.Do(r, "rome", "work", func(context.Context) (steps.None, error) { return steps.None{}, nil })
	if err := r.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("got: %v", err)
	}
}

func TestStepsAreListedWithHowFarTheyGot(t *testing.T) {
	failure := &steps.Failure{Err: errors.New("the reason"), Progress: []steps.Progress{
		{Leaf: "rome", Step: "first", Started: true, Done: true, Took: 3 * time.Millisecond},
		{Leaf: "rome", Step: "second", Started: true, Done: true, Took: 254 * time.Millisecond},
		{Leaf: "milan", Step: "third", Started: true, Took: 3001 * time.Millisecond},
		{Leaf: "milan", Step: "fourth"},
		{Leaf: "milan", Step: "fifth"},
		{Leaf: "rome", Step: "last"},
		{Leaf: "milan", Step: "sixth"},
	}}
	const expected = `  done       rome: first
  done       rome: second (250ms)
  not done   milan: third (3s)
  not begun  milan: fourth, and 2 more
  not begun  rome: last`
	if got := failure.Ledger(); got != expected {
		t.Errorf("got:\n%s", got)
	}
}
