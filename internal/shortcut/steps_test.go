package shortcut

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

func sideOf(leaf, remote string) *side {
	return &side{leaf: &cluster.Leaf{Name: leaf}, remote: Remote{Name: remote}}
}

// diary remembers the order of things that happen at the same time.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) step(name string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { d.note(name); return name, nil }
}

func TestAStepComesAfterThoseItDependsOn(t *testing.T) {
	r, d, rome := newRun(t.Context()), &diary{}, sideOf("rome", "milan")
	first := start(r, rome, "first", d.step("first"))
	second := start(r, rome, "second", d.step("second"), first)
	start(r, rome, "third", func(context.Context) (none, error) {
		d.note("third after " + first.get() + " and " + second.get())
		return none{}, nil
	}, first, second)
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.lines, []string{"first", "second", "third after first and second"}) {
		t.Errorf("the order was %v", d.lines)
	}
}

func TestStepsThatDoNotDependOnEachOtherRunAtTheSameTime(t *testing.T) {
	r := newRun(t.Context())
	met := make(chan struct{})
	start(r, sideOf("rome", "milan"), "call", func(context.Context) (none, error) { met <- struct{}{}; return none{}, nil })
	start(r, sideOf("milan", "rome"), "answer", func(context.Context) (none, error) { <-met; return none{}, nil })
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
}

func TestAFailureEndsTheOtherStepsAndIsTheOnlyErrorShown(t *testing.T) {
	for name, ended := range map[string]func(context.Context) error{
		"a wait": context.Cause,
		"a request that was under way": func(ctx context.Context) error {
			return &Problem{Leaf: "milan", Summary: "no answer", Err: ctx.Err()}
		},
		"a cache that was still filling": func(context.Context) error {
			return &Problem{Leaf: "milan", Summary: "an error", Err: apierrors.NewTimeoutError("failed waiting for Informer to sync", 0)}
		},
	} {
		t.Run(name, func(t *testing.T) { testFailureIsTheOnlyErrorShown(t, ended) })
	}
}

// testFailureIsTheOnlyErrorShown has one step fail while another one goes on, which ends with that error.
func testFailureIsTheOnlyErrorShown(t *testing.T, ended func(context.Context) error) {
	t.Helper()
	r, rome, milan := newRun(t.Context()), sideOf("rome", "milan"), sideOf("milan", "rome")
	begun := make(chan struct{})
	failing := start(r, rome, "fail", func(context.Context) (none, error) { <-begun; return none{}, errors.New("the reason") })
	start(r, milan, "wait", func(ctx context.Context) (none, error) {
		close(begun)
		<-ctx.Done()
		return none{}, ended(ctx)
	})
	start(r, rome, "never", func(context.Context) (none, error) { t.Error("a step ran after one that failed"); return none{}, nil }, failing)
	err := r.wait()
	var failure *Failure
	if !errors.As(err, &failure) || failure.Err.Error() != "the reason" {
		t.Fatalf("got: %v", err)
	}
	for _, line := range []string{"not done   rome: fail", "not done   milan: wait", "not begun  rome: never"} {
		if !strings.Contains(err.Error(), line) {
			t.Errorf("the error does not say %q:\n%v", line, err)
		}
	}
}

func TestAFailureOnOneLeafLeavesIndependentStepsAlone(t *testing.T) {
	r, rome, milan := newRun(t.Context()), sideOf("rome", "milan"), sideOf("milan", "rome")
	r.independent = true
	failed := make(chan struct{})
	start(r, rome, "fail", func(context.Context) (none, error) { defer close(failed); return none{}, errors.New("the reason") })
	worked := false
	start(r, milan, "work", func(ctx context.Context) (none, error) { <-failed; worked = ctx.Err() == nil; return none{}, nil })
	err := r.wait()
	if err == nil || !worked {
		t.Fatalf("the other leaf's step worked: %t; error: %v", worked, err)
	}
	for _, line := range []string{"not done   rome: fail", "done       milan: work"} {
		if !strings.Contains(err.Error(), line) {
			t.Errorf("the error does not say %q:\n%v", line, err)
		}
	}
}

func TestADeadlineLetsEveryWaitingStepSayWhatItWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r := newRun(ctx)
		for _, on := range []*side{sideOf("rome", "milan"), sideOf("milan", "rome")} {
			start(r, on, "wait", func(ctx context.Context) (none, error) {
				<-ctx.Done()
				return none{}, &Problem{Leaf: on.leaf.Name, Summary: "waited in vain", Err: context.Cause(ctx)}
			})
		}
		err := r.wait()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("not a deadline: %v", err)
		}
		for _, leaf := range []string{`waited in vain on leaf "rome"`, `waited in vain on leaf "milan"`} {
			if !strings.Contains(err.Error(), leaf) {
				t.Errorf("the error does not say %q:\n%v", leaf, err)
			}
		}
	})
}
