package acceptance

import (
	"context"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	stateSecret = "tfstate-default-liqo"
	stateLease  = "lock-tfstate-default-liqo"
)

func TestAccTheExampleOfAHubKeepsTheStateInEurope(t *testing.T) {
	lab := borrowTopology(t)
	p := lab.exampleOfAHub(t)
	p.apply()
	says(t, p.run("output"), `"europe-milan" = "Connected"`, `"europe-rome" = "Connected"`, `"rome-milan" = "Connected"`)

	var state corev1.Secret
	key := client.ObjectKey{Namespace: "terraform", Name: stateSecret}
	if err := lab.administrator(t, "europe").Get(t.Context(), key, &state); err != nil {
		t.Fatal(err)
	}
	if state.Labels["app.kubernetes.io/managed-by"] != "terraform" || len(state.Data["tfstate"]) == 0 {
		t.Errorf("the Secret has labels %v but no Terraform state", state.Labels)
	}
}

func TestAccTheExampleOfAHubLetsOnePersonApplyAtATime(t *testing.T) {
	lab := borrowTopology(t)
	first := lab.exampleOfAHub(t)
	first.run("init")
	second := lab.newProject(t, "../../examples/backend")
	second.run("init")

	locked := lab.leaseIsHeld(t, "europe")
	t.Cleanup(func() { lab.command(t, "set", "milan", "connect=true") })
	lab.command(t, "set", "milan", "connect=false") // so that the first apply runs until it is interrupted
	applied := make(chan error, 1)
	apply := first.command(t.Context(), "apply", "-auto-approve")
	go func() { applied <- apply.Run() }()
	<-locked
	says(t, second.refused("apply", "-auto-approve"), "Error acquiring the state lock")

	lab.command(t, "set", "milan", "connect=true")
	if err := <-applied; err != nil {
		t.Fatal(err)
	}
	second.run("plan", "-detailed-exitcode") // the second sees the changes of the first
}

// exampleOfAHub returns the example, with the namespace for its state. Terraform keeps the Secret when the state is
// empty.
func (l *Lab) exampleOfAHub(t *testing.T) *project {
	t.Helper()
	l.have(t, "europe", namespaceNamed("terraform"))
	t.Cleanup(func() {
		state := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "terraform", Name: stateSecret}}
		if err := l.administrator(t, "europe").Delete(context.WithoutCancel(t.Context()), state); err != nil {
			t.Error(err)
		}
	})
	return l.example(t, "backend")
}

// leaseIsHeld returns a channel that is closed once someone holds the lock of Terraform's state.
func (l *Lab) leaseIsHeld(t *testing.T, name string) <-chan struct{} {
	t.Helper()
	changes, err := l.administrator(t, name).Watch(
		t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("terraform"),
	)
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	go func() {
		defer close(held)
		defer changes.Stop()
		for change := range changes.ResultChan() {
			lease, ok := change.Object.(*coordinationv1.Lease)
			if ok && change.Type != watch.Deleted && lease.Name == stateLease && lease.Spec.HolderIdentity != nil {
				return
			}
		}
	}()
	return held
}
