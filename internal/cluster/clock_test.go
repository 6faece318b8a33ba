package cluster

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestTheClockOfALeafIsThatOfItsAPIServer(t *testing.T) {
	for name, test := range map[string]struct {
		date     string
		expected time.Duration // how far the leaf is ahead
	}{
		"ahead":         {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Hour},
		"behind":        {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), -time.Hour},
		"without dates": {"", 0},
		"nonsense":      {"yesterday", 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Date"] = []string{test.date}
			}))
			var leafs clock
			client := http.Client{Transport: leafs.watch(http.DefaultTransport)}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			must(t, err)
			response, err := client.Do(request)
			must(t, err)
			_ = response.Body.Close()
			server.Close()
			if off := leafs.now().Sub(time.Now().Add(test.expected)); off.Abs() > time.Minute {
				t.Errorf("the clock is %s off", off)
			}
		})
	}
}

func TestAnAnswerThatDoesNotComeLeavesTheClockAlone(t *testing.T) {
	var leafs clock
	leafs.ahead.Store(int64(time.Hour))
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	must(t, err)
	response, err := (&http.Client{Transport: leafs.watch(http.DefaultTransport)}).Do(request)
	if err == nil {
		_ = response.Body.Close()
		t.Fatal("it answered")
	}
	if ahead := time.Until(leafs.now()); ahead < 59*time.Minute {
		t.Errorf("it is %s ahead", ahead)
	}
}
