package pair

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccLiqoThatIsInstalledAgainKeepsItsNetworks(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "reinstalled", lab.Behind("rome", "milan")+acctest.Joining("s", "rome", "milan", ""))
	acctest.DestroyAtLast(p)
	p.Apply()
	former := lab.IDObject(t, "milan")
	replaceID(t, lab, "milan")
	if now := lab.IDObject(t, "milan"); now.UID == former.UID {
		t.Fatalf("the object with the cluster ID still has the UID %s", now.UID)
	}
	p.Unchanged()
	p.Run("apply", "-auto-approve", "-refresh-only")
	acctest.Says(t, p.Run("state", "show", "liqo_shortcut.s"),
		fmt.Sprintf("server_cluster_uid = %q", lab.IDObject(t, "milan").UID))
}

func TestAccALeafWithAReinstalledLiqoIsAnotherCluster(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	config := func(more string) string { return lab.Contexts(acctest.Joining("rome_milan", "rome", "milan", more)) }
	becomesAnother := func() {
		lab.RemoveTrace(t, "milan", "rome")
		lab.CallCluster(t, "milan", "milan-2")
		t.Cleanup(func() { lab.CallCluster(t, "milan", "milan") })
	}
	acctest.Apply(t,
		resource.TestStep{Config: config("")},
		resource.TestStep{
			PreConfig: becomesAnother, Config: config(""),
			ExpectError: acctest.Message("Another cluster", `The name "milan" refers to cluster "milan-2" … right ones.`,
				"Nothing is changed. If this leaf is gone for good, apply `force_destroy = true`."),
		},
		resource.TestStep{
			Config: config("force_destroy = true"), ExpectNonEmptyPlan: true, // it only gives the former cluster up
			ConfigPlanChecks: acctest.InPlace(),
		},
		resource.TestStep{
			Config: config("force_destroy = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, acctest.Expect("server_cluster_id", knownvalue.StringExact("milan-2")),
				acctest.Expect("id", knownvalue.StringExact("rome/milan-2")),
				acctest.Expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan-2")),
			},
		},
		resource.TestStep{
			Config: config(""), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccResourcesOfOneEndOnAClusterThatIsGoneAreForgottenOnDemand(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const key = `
		resource "liqo_public_key" "turin" {
		  cluster           = "milan"
		  remote_cluster_id = "turin"
		  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
		}`
	p := lab.StateIn(t, "one-end", lab.Behind("rome", "milan")+key)
	t.Cleanup(func() { lab.CallCluster(t, "milan", "milan") })
	acctest.DestroyAtLast(p)
	p.Apply()
	lab.DeleteNamespace(t, "milan", "liqo-tenant-turin")
	lab.CallCluster(t, "milan", "milan-2")
	for _, command := range []string{"apply", "destroy"} {
		acctest.Says(t, p.Refused(command, "-auto-approve"), "Error: Another cluster",
			"If it is gone for good, remove the resource from the state with `terraform state rm`")
	}
	p.Run("state", "rm", "liqo_public_key.turin")
	p.Apply()
	acctest.Says(t, p.Run("state", "show", "liqo_public_key.turin"), `cluster_id = "milan-2"`)
}

// replaceID makes a cluster's object with the ID anew, as another installation of Liqo does.
func replaceID(t *testing.T, l *acctest.Lab, name string) {
	t.Helper()
	c, former := l.Client(t, name), l.IDObject(t, name)
	if err := c.Delete(t.Context(), former.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	former.UID, former.ResourceVersion = "", ""
	if err := c.Create(t.Context(), former); err != nil {
		t.Fatal(err)
	}
}

func TestAccAResourceOfOneEndFollowsItsLeafToAnotherName(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	key := func(clusters, name string) string {
		return lab.Listing(clusters) + fmt.Sprintf(`
			resource "liqo_public_key" "turin" {
			  cluster           = %q
			  remote_cluster_id = "turin"
			  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
			}`, name)
	}
	p := lab.StateIn(t, "renamed", key(fmt.Sprintf("uno = { %s }", acctest.Entry("milan")), "uno"))
	acctest.DestroyAtLast(p)
	p.Apply()
	due := fmt.Sprintf("due = { %s }", acctest.Entry("milan"))
	p.Configure(key(due, "uno"))
	acctest.Says(t, p.Refused("plan"), "Error: Unknown leaf uno",
		"Set `cluster = \"due\"`. This changes nothing on any leaf.")
	p.Configure(key(due, "tre"))
	acctest.Says(t, p.Refused("plan"), "Error: Unknown leaf tre", "Set `cluster = \"due\"`.")
	p.Configure(key(due, "due"))
	acctest.Says(t, p.Again(), "0 added, 1 changed, 0 destroyed")
}
