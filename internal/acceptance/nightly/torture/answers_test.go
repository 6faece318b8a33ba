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

func TestAccTortureByAnswersEndsWithAllOrNothing(t *testing.T) {
	lab, dice := acctest.Borrow(t, acctest.Pair), acctest.NewDice(t)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	between, milan := acctest.ProxyFor(t, leaves["milan"])
	leaves["milan"] = milan
	isWatch := func(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }
	oneOfFive := func(answer answers) answers {
		return func(w http.ResponseWriter, r *http.Request) bool { return dice.Below(5) == 0 && answer(w, r) }
	}
	conflict := answer(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
	forbidden := answer(http.StatusForbidden, metav1.StatusReasonForbidden, `User "terraform" cannot patch resource `+
		`"gatewayservers" in API group "networking.liqo.io" at the cluster scope`)
	var (
		mu       sync.Mutex
		changed  = map[string]bool{}
		restarts time.Time
		until    = dice.Below(60) // requests, until the API server restarts
	)
	for _, one := range acctest.SomeOf([]struct {
		name   string
		answer answers
	}{
		{"one answer of five is 429", oneOfFive(
			answer(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "too many requests"))},
		{"one answer of five is 500", oneOfFive(
			answer(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd has no leader"))},
		{"watches end at once", func(w http.ResponseWriter, r *http.Request) bool {
			if isWatch(r) {
				w.WriteHeader(http.StatusOK)
			}
			return isWatch(r)
		}},
		{"watches are cut after 300 ms", func(w http.ResponseWriter, r *http.Request) bool {
			if isWatch(r) {
				ctx, cancel := context.WithTimeout(r.Context(), 300*time.Millisecond)
				defer cancel()
				between.Forward.ServeHTTP(w, r.WithContext(ctx))
			}
			return isWatch(r)
		}},
		// A create can't have a conflict.
		{"a conflict on every first change", func(w http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			change := r.Method + " " + r.URL.Path
			first := r.Method != http.MethodGet && r.Method != http.MethodPost && !changed[change]
			changed[change] = true
			return first && conflict(w, r)
		}},
		// For a few seconds, a proxy in front of an API server that restarts answers, and then this API server while it does
		// not know all permissions and kinds yet.
		{"no answer, then 403, then 404, as by a restart", func(w http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if until--; until > 0 {
				return false
			}
			if restarts.IsZero() {
				restarts = time.Now()
			}
			switch passed := time.Since(restarts); {
			case passed > 4*time.Second:
				return false
			case passed < time.Second:
				w.WriteHeader(http.StatusBadGateway)
			case passed < 3*time.Second:
				return forbidden(w, r)
			default:
				http.Error(w, "404 page not found", http.StatusNotFound)
			}
			return true
		}},
	}, 2, dice) {
		t.Run(one.name, func(t *testing.T) { survivesAnswers(t, lab, toMilan(t, lab, leaves), between, one.answer) })
	}
}

func TestAccTortureByATokenThatExpiresEndsWithAllOrNothing(t *testing.T) {
	lab, dice := acctest.Borrow(t, acctest.Pair), acctest.NewDice(t)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	between, milan := acctest.ProxyFor(t, leaves["milan"])
	leaves["milan"] = milan
	p := toMilan(t, lab, leaves)
	// A credential plugin prints the token in a file. The first token expires in the create.
	file := filepath.Join(t.TempDir(), "token")
	p.Write("main.tf", acctest.Required+lab.Listing(fmt.Sprintf(`
		milan = {
		  host                   = %q
		  cluster_ca_certificate = %q
		  exec = {
		    api_version = "client.authentication.k8s.io/v1"
		    command     = "sh"
		    args        = ["-c", %q]
		  }
		}`, milan.Host, milan.ClusterCACertificate, `printf '{"apiVersion":"client.authentication.k8s.io/v1",`+
		`"kind":"ExecCredential","status":{"token":"%s"}}' "$(cat `+file+`)"`)))
	p.Write(file, "first")
	var (
		mu   sync.Mutex
		left = 5 + dice.Below(20) // requests until it expires
	)
	expired := answer(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "the token has expired")
	survivesAnswers(t, lab, p, between, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer first" {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if left--; left > 0 {
			r.Header.Set("Authorization", "Bearer "+milan.Token)
			return false
		}
		return os.WriteFile(file, []byte(milan.Token), 0o600) == nil && expired(w, r)
	})
	if left > 0 {
		t.Error("no request had the expired token")
	}
}

func TestAccTortureByABadNetworkEndsWithAllOrNothing(t *testing.T) {
	lab, dice := acctest.Borrow(t, acctest.Pair), acctest.NewDice(t)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	between := acctest.NewRelay(t, leaves["milan"].Host, dice.Seed)
	bad := leaves["milan"]
	bad.Host = "https://" + between.Address
	leaves["milan"] = bad
	for _, one := range acctest.SomeOf([]struct{ name, conditions string }{ // as `liqo-lab relay` takes them
		{"200 ms each way", `{"delay": 200000000}`},
		{"one piece of 40 comes 3 seconds later", `{"stalls": 40}`},
		{"one piece of 60 is lost with its connection", `{"delay": 20000000, "cuts": 60}`},
	}, 1, dice) {
		t.Run(one.name, func(t *testing.T) {
			become := func(conditions string) func() {
				return func() {
					if _, err := fmt.Fprintln(between.In, conditions); err != nil {
						t.Fatal(err)
					}
					between.Line(t) // once the change holds
				}
			}
			survives(t, lab, toMilan(t, lab, leaves), become(one.conditions), become("{}"))
		})
	}
}

// answer returns what refuses each request as an API server does.
func answer(code int, reason metav1.StatusReason, message string) answers {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		clustertest.Refuse(w, code, reason, message)
		return true
	}
}

// toMilan returns a project with a shortcut to Milan that is not created yet.
func toMilan(t *testing.T, lab *acctest.Lab, leaves map[string]acctest.Leaf) *acctest.Project {
	t.Helper()
	lab.KeepsInventory(t)
	p := lab.Example(t, "credentials/token")
	p.SetJSON("TF_VAR_leaves", leaves)
	p.Write("shortcut.tf", acctest.Joining("s", "rome", "milan", timeouts))
	p.Run("init")
	return p
}

// survives creates and destroys a shortcut to Milan while something goes wrong from begin to end, and then once more
// without it, which must succeed.
func survives(t *testing.T, lab *acctest.Lab, p *acctest.Project, begin, end func()) {
	t.Helper()
	for _, operation := range []string{"apply", "destroy"} {
		begin()
		output, err := p.Begin(operation, "-auto-approve").Wait()
		end()
		t.Logf("%s: %v", operation, err)
		if err != nil {
			acctest.Says(t, output, `leaf "milan"`)
		}
		p.Run(operation, "-auto-approve")
		if operation == "apply" {
			p.Unchanged()
			isWhole(t, lab)
		}
	}
}

// survivesAnswers is like survives, for answers of a proxy. A request that is repeated without a pause exceeds the
// maximum within seconds, which is three times as many as usual.
func survivesAnswers(
	t *testing.T, lab *acctest.Lab, p *acctest.Project, between *clustertest.Proxy, answer answers,
) {
	t.Helper()
	const most = 600
	between.Take() // only later ones
	survives(t, lab, p, func() { between.Disturb(answer) }, func() { between.Disturb(nil) })
	if count := len(between.Take()); count > most {
		t.Errorf("%d requests are more than %d", count, most)
	}
}
