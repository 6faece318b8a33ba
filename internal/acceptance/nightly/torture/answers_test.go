package torture

import (
	"context"
	"net/http"
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
		t.Run(one.name, func(t *testing.T) {
			p := toMilan(t, lab, leaves)
			between.Take() // only later ones
			survives(t, lab, p, func() { between.Disturb(one.answer) }, func() { between.Disturb(nil) })
			// A request that is repeated without a pause exceeds this within seconds. It is three times as many as usual.
			const most = 600
			if count := len(between.Take()); count > most {
				t.Errorf("%d requests are more than %d", count, most)
			}
		})
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
			survives(t, lab, toMilan(t, lab, leaves), func() { between.Become(t, one.conditions) },
				func() { between.Become(t, "{}") })
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
