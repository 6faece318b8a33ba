package cluster

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	pods = schema.GroupResource{Resource: "pods"}
	away = &url.Error{Op: "Get", URL: "https://milan.example:6443/api", Err: errors.New("connection refused")}

	refusals = map[string]error{
		"no permission":       apierrors.NewForbidden(pods, "", errors.New("no")),
		"expired credentials": apierrors.NewUnauthorized("expired"),
		"no CRD":              apierrors.NewNotFound(pods, ""),
	}
)

func TestACacheThatIsRefusedWhileItsLeafIsConnectedEndsItsWaits(t *testing.T) {
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			h := newHealth()
			ctx, cancel := h.watch(t.Context())
			defer cancel()
			h.report("Pod", away)
			h.report("Pod", refusal)
			h.report("Pod", errors.New("another, later"))
			<-ctx.Done()
			if cause := context.Cause(ctx); !errors.Is(cause, refusal) || !errors.Is(h.err(), refusal) {
				t.Errorf("the wait ended with %v", cause)
			}
		})
	}
}

func TestACacheOfAnAPIServerThatIsAwayEndsNoWait(t *testing.T) {
	h := newHealth()
	ctx, cancel := h.watch(t.Context())
	h.report("Pod", away)
	cancel()
	if err := h.err(); err != nil || !errors.Is(context.Cause(ctx), context.Canceled) || !errors.Is(h.lastErr(), away) {
		t.Errorf("got %v, the wait ended with %v", err, context.Cause(ctx))
	}
}

func TestACacheThatWasReadAheadIsGivenUpOnlyAfterManyRefusalsToo(t *testing.T) {
	h := newHealth()
	ahead := h.of("Pod") // while the leaf is connected to
	h.start()
	ahead.report("Pod", refusals["no permission"])
	if err := ahead.err(); err != nil {
		t.Errorf("the first refusal is believed: %v", err)
	}
}

func TestACacheThatHasWorkedIsGivenUpOnlyAfterManyRefusals(t *testing.T) {
	for name, refusal := range refusals {
		for series, test := range map[string]struct {
			reports []error
			pause   time.Duration // before each of them
			fatal   bool
		}{
			"one":                       {[]error{refusal}, 0, false},
			"several at once":           {[]error{refusal, refusal, refusal}, 2 * time.Second, false},
			"again and again":           {[]error{refusal, refusal, refusal}, 8 * time.Second, true},
			"again after an outage":     {[]error{refusal, away, refusal}, 8 * time.Second, false},
			"again after it has worked": {[]error{refusal, refusal}, 5 * time.Minute, false},
		} {
			t.Run(name+", "+series, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newHealth()
					h.start()
					for _, err := range test.reports {
						<-time.After(test.pause) // of the test's own clock
						h.report("Pod", err)
					}
					h.report("Service", refusal) // of another kind, for the first time
					if (h.err() != nil) != test.fatal {
						t.Errorf("got: %v", h.err())
					}
				})
			})
		}
	}
}
