package torture

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// answers is what a proxy answers in place of the API server.
type answers func(http.ResponseWriter, *http.Request) bool

// mostRequestsDisturbed is the maximum number of requests to a leaf by a create, a plan and a destroy, the first and
// the last run twice, whatever goes wrong. It is three times as many as usual. A request that is repeated without a
// pause exceeds it within seconds.
const mostRequestsDisturbed = 600

func TestAccTortureByAnswersEndsWithAllOrNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	random := acctest.NewDice(t)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	between, milan := acctest.ProxyFor(t, leaves["milan"])
	leaves["milan"] = milan
	v := newVictim(t, lab, leaves, random)
	survives := func(t *testing.T, name string, fault answers) {
		t.Helper()
		between.Take() // only later ones
		v.survives(t, name, func() { between.Disturb(fault) }, func() { between.Disturb(nil) })
		count := len(between.Take())
		t.Logf("%d requests", count)
		if count > mostRequestsDisturbed {
			t.Errorf("these are more than %d", mostRequestsDisturbed)
		}
	}
	type disturbance struct {
		name  string
		fault answers
	}
	for _, one := range acctest.SomeOf([]disturbance{
		{"one answer of five is 429", sometimes(random, 5, busy)},
		{"one answer of five is 500", sometimes(random, 5, broken)},
		{"watches end at once", endsWatches},
		{"watches are cut after 300 ms", cutsWatches(between, 300*time.Millisecond)},
		{"a conflict on every first change", firstChanges(conflict)},
		{"no answer, then 403, then 404, as by a restart", restarts(random.Below(60))},
	}, 2, random) {
		t.Run(one.name, func(t *testing.T) { survives(t, one.name, one.fault) })
	}
	t.Run("a token that expires", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "token")
		v.project.Write("main.tf", withPlugin(lab, milan, file))
		expires := &expiry{file: file, valid: milan.Token, left: 5 + random.Below(20)} // in the create
		expires.write(t, "first")
		survives(t, "a token that expires, and a credential plugin with another one", expires.answer)
		if expires.refused == 0 {
			t.Error("no request had the expired token")
		}
	})
}

// withPlugin returns a provider block in which a credential plugin prints the token of Milan from a file.
func withPlugin(l *acctest.Lab, milan acctest.Leaf, file string) string {
	credential := `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}`
	return acctest.Required + l.Listing(fmt.Sprintf(`
		milan = {
		  host                   = %q
		  cluster_ca_certificate = %q
		  exec = {
		    api_version = "client.authentication.k8s.io/v1"
		    command     = "sh"
		    args        = ["-c", %q]
		  }
		}`, milan.Host, milan.ClusterCACertificate, fmt.Sprintf(`printf '%s' "$(cat %s)"`, credential, file)))
}

// expiry is a token that expires after some requests. From then on, its file has the next token.
type expiry struct {
	file  string
	valid string // what the API server accepts

	mu      sync.Mutex
	left    int // requests until it expires
	refused int
}

func (e *expiry) write(t *testing.T, token string) {
	t.Helper()
	if err := os.WriteFile(e.file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
}

// answer implements [answers].
func (e *expiry) answer(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Authorization") != "Bearer first" {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left--; e.left > 0 {
		r.Header.Set("Authorization", "Bearer "+e.valid)
		return false
	}
	if err := os.WriteFile(e.file, []byte(e.valid), 0o600); err != nil {
		return false
	}
	e.refused++
	clustertest.Refuse(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "the token has expired")
	return true
}

// sometimes answers one request of n.
func sometimes(random *acctest.Dice, n int, answer answers) answers {
	return func(w http.ResponseWriter, r *http.Request) bool { return random.Below(n) == 0 && answer(w, r) }
}

func busy(w http.ResponseWriter, _ *http.Request) bool {
	clustertest.Refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "too many requests")
	return true
}

func broken(w http.ResponseWriter, _ *http.Request) bool {
	clustertest.Refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd has no leader")
	return true
}

func conflict(w http.ResponseWriter, _ *http.Request) bool {
	clustertest.Refuse(w, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
	return true
}

// endsWatches answers each watch without an event.
func endsWatches(w http.ResponseWriter, r *http.Request) bool {
	if isWatch(r) {
		w.WriteHeader(http.StatusOK)
	}
	return isWatch(r)
}

// firstChanges answers the first change of each object, and its first deletion. A create can't have a conflict.
func firstChanges(answer answers) answers {
	var (
		mu   sync.Mutex
		seen = map[string]bool{}
	)
	return func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		change := r.Method + " " + r.URL.Path
		first := r.Method != http.MethodGet && r.Method != http.MethodPost && !seen[change]
		seen[change] = true
		mu.Unlock()
		return first && answer(w, r)
	}
}

// cutsWatches ends each watch after a while, in the middle of the connection.
func cutsWatches(p *clustertest.Proxy, after time.Duration) answers {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !isWatch(r) {
			return false
		}
		ctx, cancel := context.WithTimeout(r.Context(), after)
		defer cancel()
		p.Forward.ServeHTTP(w, r.WithContext(ctx))
		return true
	}
}

// restarts answers for a few seconds, from this request on, as a proxy in front of an API server that restarts, and
// then as this API server while it does not know all permissions and kinds yet.
func restarts(from int) answers {
	var (
		mu    sync.Mutex
		count int
		began time.Time
	)
	since := func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		if count++; count < from {
			return -1
		}
		if began.IsZero() {
			began = time.Now()
		}
		return time.Since(began)
	}
	return func(w http.ResponseWriter, _ *http.Request) bool {
		switch passed := since(); {
		case passed < 0 || passed > 4*time.Second:
			return false
		case passed < time.Second:
			w.WriteHeader(http.StatusBadGateway)
		case passed < 3*time.Second:
			clustertest.Refuse(
				w,
				http.StatusForbidden,
				metav1.StatusReasonForbidden,
				`User "terraform" cannot patch resource "gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
			)
		default:
			http.Error(w, "404 page not found", http.StatusNotFound)
		}
		return true
	}
}
