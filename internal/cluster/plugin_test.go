package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// scripted returns the registry of a leaf with a server and a credential plugin, a shell script.
func scripted(t *testing.T, server *httptest.Server, script string) *Registry {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
	credentials := at(server)
	credentials.Exec = &access.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: path}
	return registryFor(t, credentials)
}

// printing returns a command that prints an ExecCredential with this status, in which it replaces variables.
func printing(status string) string {
	return fmt.Sprintf("cat <<end\n%s%s}\nend\n",
		`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":`, status)
}

// noClusterID answers every request with a list without objects, so a leaf that accepts the credentials has no Liqo.
func noClusterID(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"apiVersion":"v1","kind":"ConfigMapList","items":[]}`)
}

func TestCredentialsThatExpireAreRenewedAndTheRequestIsRepeated(t *testing.T) {
	var requests atomic.Int32
	server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Header.Get("Authorization") != "Bearer second" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		noClusterID(w, r)
	})
	registry := scripted(t, server, `token=first; [ -e $0.ran ] && token=second; touch $0.ran`+"\n"+
		printing(`{"token":"$token"}`))
	if _, err := registry.Leaf(t.Context(), "rome"); !NoLiqo(err) {
		t.Errorf("after %d requests: %v", requests.Load(), err)
	}
}

func TestACredentialPluginMayPrintAClientCertificate(t *testing.T) {
	var unknown atomic.Int32
	server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			unknown.Add(1)
		}
		noClusterID(w, r)
	}, func(server *httptest.Server) {
		server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS13}
	})
	certificate, key := certificateUntil(t, time.Now().Add(time.Hour))
	registry := scripted(t, server,
		printing(fmt.Sprintf(`{"clientCertificateData":%q,"clientKeyData":%q}`, certificate, key)))
	if _, err := registry.Leaf(t.Context(), "rome"); !NoLiqo(err) || unknown.Load() > 0 {
		t.Errorf("%d requests without a certificate: %v", unknown.Load(), err)
	}
}

func TestTheErrorOfACredentialPluginHasItsLastWordsAndNothingThatItPrintsForUs(t *testing.T) {
	server := serveTLS(t, noClusterID)
	for name, test := range map[string]struct{ script, cause string }{
		"it fails": {
			"for i in 1 2 3 4 5 6; do echo line $i >&2; done; echo s3cret; printf 'log in\\033[2J first' >&2; exit 3",
			"has ended with exit status 3. It says:\n  | line 4\n  | line 5\n  | line 6\n  | log in\\x1b[2J first",
		},
		"it is not there":     {"rm $0; exec $0", "has ended with exit status 127"},
		"another language":    {"echo s3cret", "has printed no ExecCredential of client.authentication.k8s.io/v1"},
		"no credentials":      {printing("{}"), "has printed an ExecCredential without a token or a certificate"},
		"half a pair":         {printing(`{"clientKeyData":"s3cret"}`), "a client certificate and a key that are no pair"},
		"a token of two rows": {printing(`{"token":"s3\\ncret"}`), "credentials that can't be used: the token has a"},
		"of another version": {
			strings.Replace(printing(`{"token":"s3cret"}`), "k8s.io/v1", "k8s.io/v1beta1", 1),
			"has printed an ExecCredential of client.authentication.k8s.io/v1beta1, but `api_version` is",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scripted(t, server, test.script).Leaf(t.Context(), "rome")
			failed, ok := errors.AsType[*Error](err)
			if !ok || failed.ID != "credential-plugin-failed" {
				t.Fatalf("got: %v", err)
			}
			has(t, failed.Detail(), test.cause)
			if strings.Contains(err.Error()+failed.Detail(), "s3cret") {
				t.Errorf("it has what the plugin printed: %v", err)
			}
		})
	}
}

func TestACredentialPluginThatFailsRunsOnceForAllWhoAsk(t *testing.T) {
	server := serveTLS(t, noClusterID)
	runs := filepath.Join(t.TempDir(), "runs")
	registry := scripted(t, server, "echo run >>"+runs+"; exit 1")
	for range 3 {
		if _, err := registry.Leaf(t.Context(), "rome"); !isA[*access.PluginError](err) {
			t.Fatalf("got: %v", err)
		}
	}
	if text, err := os.ReadFile(runs); err != nil || string(text) != "run\n" {
		t.Errorf("it runs %d times (%v)", strings.Count(string(text), "run"), err)
	}
}

// written is called with each line of a log.
type written func(line string)

func (w written) Write(line []byte) (int, error) {
	w(string(line))
	return len(line), nil
}

func TestACredentialPluginThatWaitsIsQuotedAndEndsWithTheProvider(t *testing.T) {
	server := serveTLS(t, noClusterID)
	held := filepath.Join(t.TempDir(), "held") // by the plugin, and by the program that it starts
	must(t, syscall.Mkfifo(held, 0o600))
	ended := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(held)
		ended <- err
	}()
	registry := scripted(t, server,
		"exec 3>"+held+"\necho open https://login.example and enter ABCD >&2\nsleep 3600 &\nwait")
	ctx, late := context.WithCancelCause(t.Context())
	registry.patience.plugin = time.Millisecond
	_, err := registry.Leaf(tflogtest.RootLogger(ctx, written(func(line string) {
		if strings.Contains(line, `"leaf":"rome"`) && strings.Contains(line, "enter ABCD") {
			late(context.DeadlineExceeded)
		}
	})), "rome")
	waiting, ok := errors.AsType[*Error](err)
	if !ok || waiting.ID != "credential-plugin-waits" || !strings.Contains(waiting.Detail(), "enter ABCD") {
		t.Fatalf("got: %v", err)
	}
	registry.Close()
	must(t, <-ended)
}
