package acceptance

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// liqoctl runs `liqoctl network` between two clusters. The client is the first one.
func (l *Lab) liqoctl(t *testing.T, command, from, to string, flags ...string) {
	t.Helper()
	l.liqoctlBetween(t, from, to, append([]string{"network", command}, flags...)...)
}

// liqoctlBetween runs a command of liqoctl that needs two clusters.
func (l *Lab) liqoctlBetween(t *testing.T, from, to string, args ...string) {
	t.Helper()
	args = append(args, "--kubeconfig", l.cluster(t, from).Kubeconfig, "--remote-kubeconfig",
		l.cluster(t, to).Kubeconfig, "--skip-confirm")
	if output, err := exec.CommandContext(t.Context(), liqoctlProgram, args...).CombinedOutput(); err != nil {
		t.Fatalf("liqoctl %v: %v\n%s", args, err, output)
	}
}

// joinByHand returns a function that makes a network between two clusters with liqoctl. The client is the first one.
func (l *Lab) joinByHand(t *testing.T, from, to string) func() {
	t.Helper()
	return func() {
		t.Helper()
		l.liqoctl(t, "connect", from, to, "--gw-server-service-type", "NodePort", "--wait")
	}
}

func TestAccANetworkMadeByLiqoctlIsImportedAndThenManaged(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{
			PreConfig: lab.joinByHand(t, "rome", "milan"),
			Config:    lab.contexts(shortcutRomeMilan), ResourceName: romeMilan, ImportState: true,
			ImportStateId: "rome/milan", ImportStatePersist: true,
		},
		resource.TestStep{
			Config:            lab.contexts(shortcutRomeMilan),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccANetworkThatSomeoneElseMadeIsNotTakenOverByDefault(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{
			PreConfig:   lab.joinByHand(t, "rome", "milan"),
			Config:      lab.contexts(shortcutRomeMilan),
			ExpectError: regexp.MustCompile(`(?s)A network with "(rome|milan)" exists already on leaf.*liqoctl.*adopt_existing`),
		},
		resource.TestStep{
			Config:            lab.between("milan", overNodePort+"\nadopt_existing = true"),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccANetworkInTheOppositeDirectionIsReversedIfAdopted(t *testing.T) {
	lab := borrowLab(t)
	apply(t, resource.TestStep{
		PreConfig:         lab.joinByHand(t, "milan", "rome"),
		Config:            lab.between("milan", overNodePort+"\nadopt_existing = true"),
		ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
	})
}

func TestAccADestroyCleansTheOtherLeafIfOneIsGone(t *testing.T) {
	lab := borrowLab(t)
	apply(t,
		resource.TestStep{Config: lab.between("milan", overNodePort+"\nforce_destroy = true")},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "stop-apiserver", "milan") },
			Config:    lab.contexts(""),
		},
	)
	lab.command(t, "start-apiserver", "milan")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	apply(t, resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")})
}

func TestAccALeafThatIsGoneCanBeGivenUp(t *testing.T) {
	lab := borrowLab(t)
	p := lab.newProject(t, t.TempDir())
	p.write("main.tf", lab.between("milan", overNodePort))
	p.apply()
	lab.command(t, "stop-apiserver", "milan")
	p.write("main.tf", lab.between("milan", overNodePort+"\nforce_destroy = true"))
	says(t, p.run("apply", "-auto-approve"), `Warning: The API server can't be reached on leaf "milan"`,
		"The shortcut could not be refreshed. Its state stays unchanged.",
		"~ force_destroy = false -> true", "0 added, 1 changed, 0 destroyed")
	says(
		t, p.run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
		"1 destroyed",
	)
	lab.command(t, "start-apiserver", "milan")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	apply(t, resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")})
}
