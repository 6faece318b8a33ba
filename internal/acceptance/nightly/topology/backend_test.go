package topology

import (
	"context"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// stateSecret is where Terraform keeps the state of the example.
const stateSecret = "tfstate-default-liqo"

func TestAccTheExampleOfAHubKeepsTheStateInEurope(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	p := exampleOfAHub(t, lab)
	p.Apply()
	acctest.Says(t, p.Run("output"), `"europe-milan" = "Connected"`, `"europe-rome" = "Connected"`,
		`"rome-milan" = "Connected"`)

	state := acctest.Get[corev1.Secret](t, lab, "europe", "terraform", stateSecret)
	if state.Labels["app.kubernetes.io/managed-by"] != "terraform" || len(state.Data["tfstate"]) == 0 {
		t.Errorf("the Secret has labels %v but no Terraform state", state.Labels)
	}
}

func TestAccTheExampleOfAHubLetsOnePersonApplyAtATime(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	first := exampleOfAHub(t, lab)
	first.Run("init")
	second := lab.NewProject(t, acctest.Root+"/examples/backend")
	second.Run("init")

	lab.Set(t, "milan", "connect=false") // so that the first apply runs until it is interrupted
	applied := make(chan error, 1)
	apply := first.Command(t.Context(), "apply", "-auto-approve")
	go func() { applied <- apply.Run() }()
	acctest.Await(t, lab, "europe", &coordinationv1.LeaseList{}, "lock-"+stateSecret, func(l *coordinationv1.Lease) bool {
		return l.Spec.HolderIdentity != nil
	})
	acctest.Says(t, second.Refused("apply", "-auto-approve"), "Error acquiring the state lock")

	lab.Set(t, "milan", "connect=true")
	acctest.Must(t, <-applied)
	second.Unchanged() // the second sees the changes of the first
}

// exampleOfAHub returns the example, with the namespace for its state. Terraform keeps the Secret when the state is
// empty.
func exampleOfAHub(t *testing.T, l *acctest.Lab) *acctest.Project {
	t.Helper()
	l.Have(t, "europe", acctest.NamespaceNamed("terraform"))
	t.Cleanup(func() {
		state := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "terraform", Name: stateSecret}}
		if err := l.Client(t, "europe").Delete(context.WithoutCancel(t.Context()), state); err != nil {
			t.Error(err)
		}
	})
	return l.Example(t, "backend")
}
