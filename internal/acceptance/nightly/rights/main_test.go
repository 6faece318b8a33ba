package rights

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// onEachKubernetes runs a test on a lab with Rome and Milan, and, unless it is a short one, on another lab whose API
// servers are the oldest and the newest that a release of Liqo supports.
func onEachKubernetes(t *testing.T, test func(*testing.T, *acctest.Lab)) {
	t.Helper()
	labs := map[string][]string{"Kubernetes of the lab": acctest.Pair}
	if !testing.Short() {
		labs["oldest and newest Kubernetes"] = []string{
			"--cluster=rome=10.202.0.0/16,kubernetes=" + acctest.OldestKubernetes,
			"--cluster=milan=10.203.0.0/16,kubernetes=" + acctest.NewestKubernetes,
		}
	}
	for name, options := range labs {
		t.Run(name, func(t *testing.T) { test(t, acctest.Borrow(t, options)) })
	}
}

// reachedWith returns the access of an account with these roles to Rome and Milan.
func reachedWith(t *testing.T, l *acctest.Lab, account string, roles []client.Object) map[string]acctest.Leaf {
	t.Helper()
	leaves := map[string]acctest.Leaf{}
	for _, name := range []string{"rome", "milan"} {
		leaves[name] = l.ReachedAs(t, name, account, roles)
	}
	return leaves
}
