package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestWhoeverWaitsForTheQuestionOfAnotherCallerCanBeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := Absent("rome", "rome")
		answered := make(chan struct{})
		go func() {
			_, _ = Once(t.Context(), leaf, func() (int, error) { <-answered; return 0, errors.New("no") })
		}()
		synctest.Wait()
		ctx, interrupt := context.WithCancel(t.Context())
		go func() { synctest.Wait(); interrupt() }()
		never := func() (int, error) { t.Error("it asks at the same time"); return 0, nil }
		if _, err := Once(ctx, leaf, never); !errors.Is(err, context.Canceled) {
			t.Errorf("got: %v", err)
		}
		close(answered)
		synctest.Wait()
		if value, err := Once(t.Context(), leaf, func() (int, error) { return 7, nil }); value != 7 || err != nil {
			t.Errorf("after a failure: %d (%v)", value, err)
		}
		if value, err := Once(t.Context(), leaf, never); value != 7 || err != nil {
			t.Errorf("after a success: %d (%v)", value, err)
		}
	})
}
