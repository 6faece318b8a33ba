package torture

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// timeouts end an operation that waits for what someone else has removed meanwhile.
const timeouts = `timeouts = { create = "90s", update = "90s", delete = "90s" }`

// Each fault comes at a random moment of an operation. The same command once more must succeed.
func TestAccTortureOfAShortcutEndsWithAllOrNothing(t *testing.T) {
	lab, dice := acctest.Borrow(t, acctest.Pair), acctest.NewDice(t)
	p := lab.StateIn(t, "tortured", "")
	rival := lab.StateIn(t, "rival", acctest.Joining("s", "milan", "rome", timeouts))
	interrupt := func(running *acctest.Execution, times int) {
		began := time.Now()
		for range times {
			acctest.Must(t, running.Signal(syscall.SIGINT))
			select {
			case <-running.Ended:
			case <-time.After(dice.Within(time.Second)):
			}
		}
		output, _ := running.Wait()
		took := time.Since(began)
		t.Logf("Terraform ends %.1f s after SIGINT", took.Seconds())
		if took > 5*time.Second {
			t.Fatalf("that is too late:\n%s", output)
		}
	}
	faults := []struct {
		name   string
		strike func(*acctest.Execution)
	}{
		{"SIGKILL of the provider", func(running *acctest.Execution) {
			acctest.Must(t, running.SignalProvider(syscall.SIGKILL))
		}},
		{"SIGKILL of Terraform and the provider", func(running *acctest.Execution) {
			acctest.Must(t, running.Signal(syscall.SIGKILL))
		}},
		{"SIGINT", func(running *acctest.Execution) { interrupt(running, 1) }},
		{"SIGINT, twice", func(running *acctest.Execution) { interrupt(running, 2) }},
		{"the gateways' pods are deleted", func(*acctest.Execution) {
			lab.DeleteFromTenant(t, "rome", &corev1.Pod{})
			lab.DeleteFromTenant(t, "milan", &corev1.Pod{})
		}},
		{"Liqo's controllers restart", func(*acctest.Execution) {
			lab.Set(t, "milan", "liqo=stopped")
			lab.Set(t, "milan", "liqo=running")
		}},
		{"liqoctl removes the network", func(*acctest.Execution) {
			// It may fail, for example because Terraform has removed the same object.
			t.Log(lab.TryLiqoctl(t, "rome", "milan", "network", "reset"))
		}},
		{"an API server is away", func(running *acctest.Execution) {
			leaf := []string{"rome", "milan"}[dice.Below(2)]
			lab.Command(t, "stop-apiserver", leaf)
			<-time.After([]time.Duration{time.Second, 5 * time.Second, 20 * time.Second}[dice.Below(3)])
			lab.Command(t, "start-apiserver", leaf)
			if output, err := running.Wait(); err != nil {
				acctest.Says(t, output, fmt.Sprintf("%q", leaf))
			}
		}},
		// The last one is for creates only.
		{"another state joins the pair in the other direction", func(running *acctest.Execution) {
			theirs, rivalFails := rival.Begin("apply", "-auto-approve").Wait()
			ours, fails := running.Wait()
			loser, said := rival, theirs
			if fails != nil {
				loser, said = p, ours
			}
			if left := loser.Resources(); (fails == nil) == (rivalFails == nil) || left != "" {
				t.Fatalf("not exactly one has the shortcut:\n%s\n%s\nThe loser has %q", ours, theirs, left)
			}
			acctest.Says(t, said, "exists already on leaf")
			rival.Run("destroy", "-auto-approve")
		}},
	}

	before := lab.Inventory(t)
	mtu, keys, took := 1340, 0, map[string]time.Duration{}
	for round := range 3 + acctest.Rounds(t, 10) {
		operation := []string{"create", "update", "destroy"}[round%3]
		if operation == "update" && dice.Below(2) == 0 {
			mtu = 2740 - mtu // 1340 and 1400
		} else if operation == "update" {
			keys++
		}
		p.Configure(acctest.Joining("s", "rome", "milan", fmt.Sprintf(
			"mtu = %d\nkey_rotation_trigger = %d\n%s", mtu, keys, timeouts)))
		command := map[string]string{"create": "apply", "update": "apply", "destroy": "destroy"}[operation]
		if round >= 3 { // the first three show how long they take
			possible := len(faults)
			if operation != "create" {
				possible--
			}
			fault, moment, state := faults[dice.Below(possible)], dice.Within(took[operation]), p.Read("terraform.tfstate")
			t.Logf("%s, and after %.3f s: %s", operation, moment.Seconds(), fault.name)
			running := p.Begin(command, "-auto-approve")
			select {
			case <-time.After(moment):
			case <-running.Ended: // the fault comes too late, and must do no harm either
			}
			fault.strike(running)
			<-running.Ended
			p.Unlock()
			// Terraform empties the file of a local state before it writes it. A signal may come between the two.
			if p.Read("terraform.tfstate") == "" {
				p.Write("terraform.tfstate", state)
			}
		}
		began := time.Now()
		p.Run(command, "-auto-approve")
		if round < 3 {
			took[operation] = time.Since(began)
		}
		if operation == "destroy" {
			acctest.Must(t, lab.SameInventory(t, before))
			continue
		}
		p.Unchanged()
		isWhole(t, lab)
	}
}

// isWhole fails the test unless each leaf has one object of each kind for the other leaf.
func isWhole(t *testing.T, l *acctest.Lab) {
	t.Helper()
	var kinds []string
	for _, line := range l.Networks(t) {
		kinds = append(kinds, strings.Join(strings.Fields(line)[:2], " "))
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, []string{
		"milan Configuration", "milan Connection", "milan GatewayServer",
		"milan PublicKey", "rome Configuration", "rome Connection",
		"rome GatewayClient", "rome PublicKey",
	}) {
		t.Fatalf("the leaves have %q", kinds)
	}
}

func TestAccTortureOfALeafWithoutLiqoCanBeGivenUp(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)
	ofRome := func() []string {
		return slices.DeleteFunc(lab.Inventory(t), func(line string) bool {
			return !strings.HasPrefix(line, "rome ") && !strings.HasPrefix(line, "rome:")
		})
	}
	before := ofRome()
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort))
	uninstallLiqo(t, lab, "milan")
	acctest.Says(t, p.Run("plan"), `Warning: The API server does not know a kind that Liqo installs on leaf "milan"`,
		"Install Liqo on this leaf", "No changes.")
	acctest.Says(t, p.Refused("destroy", "-auto-approve"),
		`Error: The API server does not know a kind that Liqo installs on leaf "milan"`, "abandon_lost_cluster = true")
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort+"\nabandon_lost_cluster = true"))
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	acctest.Says(t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", "1 destroyed")
	if after := ofRome(); !slices.Equal(after, before) {
		t.Errorf("before the shortcut, Rome had:\n%q\nNow it has:\n%q", before, after)
	}
}

// uninstallLiqo stops Liqo's controllers and deletes all its kinds with all objects. Nobody else removes the
// finalizers.
func uninstallLiqo(t *testing.T, l *acctest.Lab, name string) {
	t.Helper()
	listOf := func(group, version, kind string) *unstructured.UnstructuredList {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
		return list
	}
	l.Command(t, "set", name, "liqo=stopped")
	c, kinds := l.Client(t, name), listOf("apiextensions.k8s.io", "v1", "CustomResourceDefinitionList")
	acctest.Must(t, c.List(t.Context(), kinds))
	for i := range kinds.Items {
		kind := &kinds.Items[i]
		group, _, _ := unstructured.NestedString(kind.Object, "spec", "group") // every definition has these
		listKind, _, _ := unstructured.NestedString(kind.Object, "spec", "names", "listKind")
		versions, _, _ := unstructured.NestedStringSlice(kind.Object, "status", "storedVersions")
		if !strings.HasSuffix(group, "liqo.io") {
			continue
		}
		objects := listOf(group, versions[0], listKind)
		acctest.Must(t, c.List(t.Context(), objects))
		for i := range objects.Items {
			acctest.Must(t, client.IgnoreNotFound(c.Patch(t.Context(), &objects.Items[i],
				client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))))
		}
		gone := l.Gone(t, name, listOf("apiextensions.k8s.io", "v1", "CustomResourceDefinitionList"),
			client.MatchingFields{"metadata.name": kind.GetName()})
		acctest.Must(t, c.Delete(t.Context(), kind))
		<-gone
	}
}
