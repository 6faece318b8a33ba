package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAccAPeeringMissingInLiqosRecordKeepsItsNetwork(t *testing.T) {
	peered := startPeeredLab(t)
	forget := func(at, of string) {
		record := &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: of}}
		patch := client.RawPatch(types.MergePatchType, []byte(
			`{"status":{"role":"Unknown","modules":{"authentication":{"enabled":false},"offloading":{"enabled":false}}}}`))
		if err := peered.client(t, at).Status().Patch(t.Context(), record, patch); err != nil {
			t.Fatal(err)
		}
	}
	adopted := peered.overPeering("rome", "adopt_existing = true")
	var networks []string
	apply(t,
		resource.TestStep{
			Config: adopted,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(overPeering, tfjsonpath.New("status"), connected),
			},
		},
		resource.TestStep{
			PreConfig: func() { // as in Liqo's record when a gateway has no Deployment
				networks = peered.networks(t)
				for _, name := range []string{"europe", "rome"} {
					peered.command(t, "set", name, "liqo=stopped")
				}
				forget("europe", "rome")
				forget("rome", "europe")
			},
			Config: adopted, Destroy: true,
			ExpectError: message(`A peering uses the network on leaf "europe"`,
				`This leaf needs the network for the peering with "rome" (Identity liqo-tenant-rome/…). Nothing `+
					`was removed. `+
					"End the peering first with `liqoctl unpeer`, or set `destroy_peering_network = true` and "+
					"apply that before the destroy. If it is the only peering of the two clusters, `liqoctl` also removes "+
					"the network.",
				`In addition, a peering uses the network on leaf "rome".`,
				`This leaf needs the network for the peering with "europe" (Tenant …). Nothing was removed.`),
		},
		resource.TestStep{
			PreConfig: func() {
				peered.sameNetworks(t, networks)
				for _, name := range []string{"europe", "rome"} {
					peered.command(t, "set", name, "liqo=running")
				}
			},
			Config: peered.overPeering("rome", "adopt_existing = true\ndestroy_peering_network = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(overPeering, plancheck.ResourceActionUpdate)},
			},
		},
	)
	for at, of := range map[string]string{"europe": "rome", "rome": "europe"} {
		var namespace corev1.Namespace
		if err := peered.client(t, at).Get(
			t.Context(), client.ObjectKey{Name: "liqo-tenant-" + of}, &namespace,
		); err != nil || namespace.DeletionTimestamp != nil {
			t.Errorf("the peering has lost its tenant namespace on %s (%v)", at, err)
		}
		if len(namespace.Annotations) > 0 {
			t.Errorf("the tenant namespace on %s is still marked: %v", at, namespace.Annotations)
		}
	}
	var tenants authv1beta1.TenantList
	var identities authv1beta1.IdentityList
	if err := peered.client(t, "rome").List(t.Context(), &tenants); err != nil || len(tenants.Items) != 1 {
		t.Errorf("Rome has Tenants %v (%v)", tenants.Items, err)
	}
	if err := peered.client(t, "europe").List(
		t.Context(), &identities, client.InNamespace("liqo-tenant-rome"),
	); err != nil || len(identities.Items) == 0 {
		t.Errorf("Europe has no Identity for Rome any more (%v)", err)
	}
}

func TestAccALeafRemovedFromTheProviderBlockCanBeGivenUp(t *testing.T) {
	lab := borrowLab(t)
	rome, milan := lab.cluster(t, "rome").Kubeconfig, lab.cluster(t, "milan").Kubeconfig
	p := lab.newProject(t, t.TempDir())
	destroyAtLast(p)
	write := func(milans, settings string) {
		p.write("main.tf", required+fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters = {
			    rome = { config_path = %q }
			    %s
			  }
			}
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = "milan"
			  server_gateway = { service_type = "NodePort" }
			  %s
			}`, rome, rome, milans, settings))
	}
	write(fmt.Sprintf("milan = { config_path = %q }", milan), "")
	p.apply()
	write("", "")
	says(t, p.refused("destroy", "-auto-approve"), "Error: Unknown leaf milan")
	says(t, p.run("plan", "-detailed-exitcode"), "Warning: Unknown leaf milan")
	write("", "force_destroy = true")
	says(t, p.run("apply", "-auto-approve"), "Warning: Unknown leaf milan", "0 added, 1 changed, 0 destroyed")
	says(
		t, p.run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`,
		"1 destroyed",
	)
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	apply(t, resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")})
}
