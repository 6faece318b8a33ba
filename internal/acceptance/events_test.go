//go:build acceptance

package acceptance

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// liqoctl runs `liqoctl network` between two clusters, the client's first.
func liqoctl(t *testing.T, command, from, to string, flags ...string) {
	t.Helper()
	program := os.Getenv("LIQOCTL")
	if program == "" {
		t.Fatal("LIQOCTL does not name liqoctl; `make acc` sets it")
	}
	args := append([]string{
		"network", command, "--kubeconfig", lab.cluster(t, from).Kubeconfig, "--remote-kubeconfig", lab.cluster(t, to).Kubeconfig, "--skip-confirm",
	}, flags...)
	if output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("liqoctl %v: %v\n%s", args, err, output)
	}
}

// joinByHand makes a network from Rome to Milan as somebody without Terraform would.
func joinByHand(t *testing.T, from, to string) func() {
	t.Helper()
	return func() {
		t.Helper()
		liqoctl(t, "connect", from, to, "--gw-server-service-type", "NodePort", "--wait")
	}
}

func TestAccWhatLiqoctlMadeIsImportedAndBelongsToTerraformThen(t *testing.T) {
	apply(t,
		resource.TestStep{
			PreConfig: joinByHand(t, "rome", "milan"),
			Config:    contexts(shortcutRomeMilan), ResourceName: romeMilan, ImportState: true, ImportStateId: "rome/milan", ImportStatePersist: true,
		},
		resource.TestStep{
			Config:            contexts(shortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccANetworkOfSomebodyElsesIsNotTakenOverUnasked(t *testing.T) {
	apply(t,
		resource.TestStep{
			PreConfig:   joinByHand(t, "rome", "milan"),
			Config:      contexts(shortcutRomeMilan),
			ExpectError: regexp.MustCompile(`(?s)A network with "(rome|milan)" exists already on leaf.*liqoctl.*adopt_existing`),
		},
		resource.TestStep{
			Config:            between("milan", overNodePort+"\nadopt_existing = true"),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccANetworkInTheOppositeDirectionIsTurnedRoundIfAdopted(t *testing.T) {
	apply(t, resource.TestStep{
		PreConfig:         joinByHand(t, "milan", "rome"),
		Config:            between("milan", overNodePort+"\nadopt_existing = true"),
		ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
	})
}

func TestAccALeafThatIsGoneForGoodDoesNotKeepTheOtherFromBeingCleaned(t *testing.T) {
	before, err := lab.inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	terraformOn(t,
		resource.TestStep{Config: between("milan", overNodePort+"\nforce_destroy = true")},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "stop-apiserver", "milan") },
			Config:    contexts(""),
		},
	)
	lab.command(t, "start-apiserver", "milan")
	// What is left is on Milan alone; a new shortcut adopts it, and its destroy removes it.
	terraformOn(t, resource.TestStep{Config: between("milan", overNodePort+"\nadopt_existing = true")})
	if err := lab.sameInventory(t.Context(), before); err != nil {
		t.Error(err)
	}
}

func TestAccALeafThatIsGoneCanStillBeGivenUp(t *testing.T) {
	before, err := lab.inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := newProject(t, t.TempDir())
	p.write("main.tf", between("milan", overNodePort))
	p.apply()
	lab.command(t, "stop-apiserver", "milan")
	p.write("main.tf", between("milan", overNodePort+"\nforce_destroy = true"))
	says(t, p.run("apply", "-auto-approve"), `Warning: The API server can't be reached on leaf "milan"`,
		"The state of the shortcut could not be refreshed; it stays as it was.", "~ force_destroy = false -> true", "0 added, 1 changed, 0 destroyed")
	says(t, p.run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`, "1 destroyed")
	lab.command(t, "start-apiserver", "milan")
	// What is left is on Milan alone; a new shortcut adopts it, and its destroy removes it.
	terraformOn(t, resource.TestStep{Config: between("milan", overNodePort+"\nadopt_existing = true")})
	if err := lab.sameInventory(t.Context(), before); err != nil {
		t.Error(err)
	}
}

func TestAccALeafWhoseLiqoIsInstalledAnewIsAnotherCluster(t *testing.T) {
	apply(t,
		resource.TestStep{Config: contexts(shortcutRomeMilan)},
		resource.TestStep{
			PreConfig: func() {
				removeTrace(t, "milan", "rome")
				callCluster(t, "milan", "milan-2")
				t.Cleanup(func() { callCluster(t, "milan", "milan") })
			},
			Config: contexts(shortcutRomeMilan),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("server_cluster_id", knownvalue.StringExact("milan-2")), expect("id", knownvalue.StringExact("rome/milan-2")),
				expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan-2")),
			},
		},
	)
}

// callCluster gives a cluster another ID, as every other cluster learns it.
func callCluster(t *testing.T, name, id string) {
	t.Helper()
	ctx, c := context.WithoutCancel(t.Context()), lab.client(t, name) // it also works in a cleanup
	var maps corev1.ConfigMapList
	err := c.List(ctx, &maps, client.InNamespace("liqo"), client.MatchingLabelsSelector{Selector: consts.ClusterIDConfigMapSelector()})
	if err != nil || len(maps.Items) != 1 {
		t.Fatalf("%d ConfigMaps have the ID of %s (%v)", len(maps.Items), name, err)
	}
	known := maps.Items[0].DeepCopy()
	known.Data[consts.ClusterIDConfigMapKey] = id
	if err := c.Patch(ctx, known, client.MergeFrom(&maps.Items[0])); err != nil {
		t.Fatal(err)
	}
}
