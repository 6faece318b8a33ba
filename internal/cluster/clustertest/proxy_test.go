package clustertest

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A client whose connection is cut can open another one before nobody listens any more.
func TestAProxyThatStopsPassesOnNoRequestOfANewConnection(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	p := NewProxy(t, server.URL, string(authority))
	serve := func() (status int, aborted bool) {
		defer func() {
			err, _ := recover().(error)
			aborted = errors.Is(err, http.ErrAbortHandler)
		}()
		answer := httptest.NewRecorder()
		p.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		return answer.Code, false
	}
	for _, stops := range []bool{false, true, false} {
		if stops {
			p.Stop()
		} else if p.stopped {
			p.Start()
		}
		if status, aborted := serve(); aborted != stops || !stops && status != http.StatusTeapot {
			t.Errorf("stopped %t: the status is %d, aborted %t", stops, status, aborted)
		}
	}
}
