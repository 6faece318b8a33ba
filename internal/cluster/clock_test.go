package cluster

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

func TestTheClockOfALeafIsThatOfItsAPIServer(t *testing.T) {
	away := errors.New("no answer")
	for name, test := range map[string]struct {
		date     string
		err      error
		expected time.Duration // how far the leaf is ahead
	}{
		"ahead":         {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), nil, time.Hour},
		"behind":        {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), nil, -time.Hour},
		"without dates": {"", nil, 2 * time.Hour},
		"nonsense":      {"yesterday", nil, 2 * time.Hour},
		"no answer":     {"", away, 2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			var leafs clock
			leafs.ahead.Store(int64(2 * time.Hour)) // by an earlier answer
			transport := leafs.watch(access.RoundTrip(func(*http.Request) (*http.Response, error) {
				if test.err != nil {
					return nil, test.err
				}
				return &http.Response{Header: http.Header{"Date": {test.date}}, Body: http.NoBody}, nil
			}))
			answer, err := transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
			if err == nil {
				err = answer.Body.Close()
			}
			if off := leafs.now().Sub(time.Now().Add(test.expected)); off.Abs() > time.Minute || !errors.Is(err, test.err) {
				t.Errorf("the clock is %s off (%v)", off, err)
			}
		})
	}
}
