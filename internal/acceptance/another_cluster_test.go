package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// everyResource is one resource of each type that is for Rome and Milan. The shortcut has the server's end of a pair,
// so the four resources of one end are for a cluster that does not exist.
const everyResource = `
	resource "liqo_shortcut" "rome_milan" {
	  client         = "rome"
	  server         = "milan"
	  server_gateway = { service_type = "NodePort" }
	}
	resource "liqo_configuration" "turin" {
	  cluster           = "rome"
	  remote_cluster_id = "turin"
	  pod_cidrs         = ["10.220.0.0/16"]
	  external_cidr     = "10.221.0.0/16"
	}
	resource "liqo_gateway_server" "turin" {
	  cluster           = "rome"
	  remote_cluster_id = "turin"
	  service_type      = "NodePort"
	}
	resource "liqo_gateway_client" "turin" {
	  cluster           = "milan"
	  remote_cluster_id = "turin"
	  server_endpoint   = { addresses = ["192.0.2.1"], port = 51840 }
	}
	resource "liqo_public_key" "turin" {
	  cluster           = "milan"
	  remote_cluster_id = "turin"
	  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	}
	resource "liqo_direct_service" "web" {
	  cluster   = "rome"
	  namespace = "default"
	  name      = "web"
	}
	`

// behind returns a provider block in which Rome and Milan are these contexts.
func (l *Lab) behind(rome, milan string) string {
	return l.listing(fmt.Sprintf("rome = { %s }, milan = { %s }", entry(rome), entry(milan)))
}

// stateFile returns the resources in the state of a project, as Terraform stores them.
func (p *project) stateFile() string {
	p.t.Helper()
	var state struct {
		Resources json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal([]byte(p.run("state", "pull")), &state); err != nil {
		p.t.Fatal(err)
	}
	return string(state.Resources)
}

func TestAccTheCredentialsOfAnotherEnvironmentForgetNothing(t *testing.T) {
	lab := borrowTopology(t)
	lab.have(t, "rome", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	})
	production, staging := lab.behind("rome", "milan")+everyResource, lab.behind("europe", "naples")+everyResource
	p := lab.stateIn(t, "production", production)
	destroyAtLast(p)
	p.apply()
	state, networks := p.stateFile(), lab.networks(t)

	for name, ids := range map[string][2]string{
		"with other cluster IDs": {"europe", "naples"}, "with the same cluster IDs": {"rome", "milan"},
	} {
		t.Run(name, func(t *testing.T) {
			lab.callCluster(t, "europe", ids[0])
			lab.callCluster(t, "naples", ids[1])
			t.Cleanup(func() {
				lab.callCluster(t, "europe", "europe")
				lab.callCluster(t, "naples", "naples")
			})
			p.configure(staging)
			says(t, p.refused("plan", "-destroy"), "Error: Another cluster", "Warning: Another cluster",
				fmt.Sprintf(`The name "rome" refers to cluster %q (UID %s) now, but the resource is for cluster "rome" (UID %s)`,
					ids[0], lab.idObject(t, "europe").UID, lab.idObject(t, "rome").UID),
				"Its state stays unchanged.")
			says(t, p.refused("apply", "-auto-approve"), "Error: Another cluster", "Nothing is changed.",
				"If these are the credentials of another environment, use the right ones.")
			refused := p.refused("destroy", "-auto-approve")
			says(t, refused, "Error: Another cluster", "`terraform state rm`")
			doesNotSay(t, refused, "Destruction complete")
			if now := p.stateFile(); now != state {
				t.Errorf("the state has changed from:\n%s\nto:\n%s", state, now)
			}
			p.configure(production)
			p.unchanged()
		})
	}
	withoutStatus := func(lines []string) string { return strings.Join(withoutLabels(lines), "\n") }
	if now := lab.networks(t); withoutStatus(now) != withoutStatus(networks) {
		t.Errorf("the networks have changed from:\n%s\nto:\n%s", networks, now)
	}
}

func TestAccASilentLeafUnderAnotherNameIsNotGone(t *testing.T) {
	lab := borrowTopology(t)
	shortcut := joining("s", "uno", "due", "")
	first := lab.listing(fmt.Sprintf("uno = { %s }, due = { %s }", entry("rome"), entry("milan"))) + shortcut
	renamed := lab.listing(fmt.Sprintf("uno = { %s }, due = { %s }, tre = { %s }",
		entry("europe"), entry("milan"), entry("rome"))) + shortcut
	p := lab.stateIn(t, "renamed", first)
	destroyAtLast(p)
	p.apply()
	p.configure(renamed)
	says(t, p.refused("apply", "-auto-approve"), "Error: Another cluster",
		"That cluster has the name \"tre\" now. Nothing is changed. To keep the resource, set `client = \"tre\"`.")
	lab.command(t, "stop-apiserver", "rome")
	restarted := false
	t.Cleanup(func() {
		if !restarted {
			lab.command(t, "start-apiserver", "rome")
		}
	})
	says(t, p.refused("destroy", "-auto-approve"), "Error: Another cluster",
		`It may be one of the leaves that did not answer: ["tre" "rome"].`)
	if left := p.resources(); left != "liqo_shortcut.s" {
		t.Errorf("the state has %q", left)
	}
	lab.command(t, "start-apiserver", "rome")
	restarted = true
	p.configure(strings.Replace(renamed, `"uno"`, `"tre"`, 1))
	says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.unchanged()
}

func TestAccAForcedDestroyGivesUpOneLeafNotBoth(t *testing.T) {
	lab := borrowTopology(t)
	forced := joining("s", "rome", "milan", "force_destroy = true")
	p := lab.stateIn(t, "lost", lab.behind("rome", "milan")+forced)
	p.apply()
	p.configure(lab.behind("venice", "europe") + forced) // one has no Liqo, the other is not peered with Rome
	says(t, p.refused("destroy", "-auto-approve"), "Neither leaf can be cleaned.", "`terraform state rm`")
	says(t, p.refused("apply", "-auto-approve"), "Neither leaf can be cleaned.")
	if left := p.resources(); left != "liqo_shortcut.s" {
		t.Errorf("the state has %q", left)
	}
	p.configure(lab.behind("rome", "milan") + forced)
	p.run("destroy", "-auto-approve")
}

func TestAccLiqoThatIsInstalledAgainKeepsItsNetworks(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "reinstalled", lab.behind("rome", "milan")+joining("s", "rome", "milan", ""))
	destroyAtLast(p)
	p.apply()
	former := lab.idObject(t, "milan")
	lab.replaceID(t, "milan")
	if now := lab.idObject(t, "milan"); now.UID == former.UID {
		t.Fatalf("the object with the cluster ID still has the UID %s", now.UID)
	}
	p.unchanged()
	p.run("apply", "-auto-approve", "-refresh-only")
	says(t, p.run("state", "show", "liqo_shortcut.s"),
		fmt.Sprintf("server_cluster_uid = %q", lab.idObject(t, "milan").UID))
}

func TestAccALeafWithAReinstalledLiqoIsAnotherCluster(t *testing.T) {
	lab := borrowLab(t)
	config := func(more string) string { return lab.contexts(joining("rome_milan", "rome", "milan", more)) }
	becomesAnother := func() {
		lab.removeTrace(t, "milan", "rome")
		lab.callCluster(t, "milan", "milan-2")
		t.Cleanup(func() { lab.callCluster(t, "milan", "milan") })
	}
	apply(t,
		resource.TestStep{Config: config("")},
		resource.TestStep{
			PreConfig: becomesAnother, Config: config(""),
			ExpectError: message("Another cluster", `The name "milan" refers to cluster "milan-2" … right ones.`,
				"Nothing is changed. If this leaf is gone for good, apply `force_destroy = true`."),
		},
		resource.TestStep{
			Config: config("force_destroy = true"), ExpectNonEmptyPlan: true, // it only gives the former cluster up
			ConfigPlanChecks: inPlace(),
		},
		resource.TestStep{
			Config: config("force_destroy = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				expect("status", connected), expect("server_cluster_id", knownvalue.StringExact("milan-2")),
				expect("id", knownvalue.StringExact("rome/milan-2")),
				expect("client_namespace", knownvalue.StringExact("liqo-tenant-milan-2")),
			},
		},
		resource.TestStep{
			Config: config(""), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccResourcesOfOneEndOnAClusterThatIsGoneAreForgottenOnDemand(t *testing.T) {
	lab := borrowLab(t)
	const key = `
		resource "liqo_public_key" "turin" {
		  cluster           = "milan"
		  remote_cluster_id = "turin"
		  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
		}`
	p := lab.stateIn(t, "one-end", lab.behind("rome", "milan")+key)
	t.Cleanup(func() { lab.callCluster(t, "milan", "milan") })
	destroyAtLast(p)
	p.apply()
	lab.deleteNamespace(t, "milan", "liqo-tenant-turin")
	lab.callCluster(t, "milan", "milan-2")
	for _, command := range []string{"apply", "destroy"} {
		says(t, p.refused(command, "-auto-approve"), "Error: Another cluster",
			"If it is gone for good, remove the resource from the state with `terraform state rm`")
	}
	p.run("state", "rm", "liqo_public_key.turin")
	p.apply()
	says(t, p.run("state", "show", "liqo_public_key.turin"), `cluster_id = "milan-2"`)
}

// idObject returns the object in which Liqo keeps a cluster's ID.
func (l *Lab) idObject(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	ctx, c := context.WithoutCancel(t.Context()), l.client(t, name) // it also works in a cleanup
	var maps corev1.ConfigMapList
	err := c.List(
		ctx, &maps, client.InNamespace("liqo"),
		client.MatchingLabelsSelector{Selector: consts.ClusterIDConfigMapSelector()},
	)
	if err != nil || len(maps.Items) != 1 {
		t.Fatalf("%d ConfigMaps have the ID of %s (%v)", len(maps.Items), name, err)
	}
	return &maps.Items[0]
}

// callCluster gives a cluster another ID, which all other clusters see.
func (l *Lab) callCluster(t *testing.T, name, id string) {
	t.Helper()
	before := l.idObject(t, name)
	known := before.DeepCopy()
	known.Data[consts.ClusterIDConfigMapKey] = id
	if err := l.client(t, name).Patch(context.WithoutCancel(t.Context()), known, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// replaceID makes a cluster's object with the ID anew, as another installation of Liqo does.
func (l *Lab) replaceID(t *testing.T, name string) {
	t.Helper()
	c, former := l.client(t, name), l.idObject(t, name)
	if err := c.Delete(t.Context(), former.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	former.UID, former.ResourceVersion = "", ""
	if err := c.Create(t.Context(), former); err != nil {
		t.Fatal(err)
	}
}

func TestAccAResourceOfOneEndFollowsItsLeafToAnotherName(t *testing.T) {
	lab := borrowLab(t)
	key := func(clusters, name string) string {
		return lab.listing(clusters) + fmt.Sprintf(`
			resource "liqo_public_key" "turin" {
			  cluster           = %q
			  remote_cluster_id = "turin"
			  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
			}`, name)
	}
	p := lab.stateIn(t, "renamed", key(fmt.Sprintf("uno = { %s }", entry("milan")), "uno"))
	destroyAtLast(p)
	p.apply()
	due := fmt.Sprintf("due = { %s }", entry("milan"))
	p.configure(key(due, "uno"))
	says(t, p.refused("plan"), "Error: Unknown leaf uno", "Set `cluster = \"due\"`. This changes nothing on any leaf.")
	p.configure(key(due, "tre"))
	says(t, p.refused("plan"), "Error: Unknown leaf tre", "Set `cluster = \"due\"`.")
	p.configure(key(due, "due"))
	says(t, p.again(), "0 added, 1 changed, 0 destroyed")
}
