package peerings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// shortcutOverPeering returns a shortcut over the network of Europe's peering with a leaf, with more attributes.
func shortcutOverPeering(l *acctest.Lab, leaf, more string) string {
	return l.Contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "over_peering" {
		  client         = "europe"
		  server         = %q
		  server_gateway = { service_type = "NodePort" }
		  %s
		}`, leaf, more))
}

const overPeering = "liqo_shortcut.over_peering"

// imports lets Terraform take over the network of Europe's peering with a leaf, and manage it from then on.
func imports(l *acctest.Lab, leaf string) resource.TestStep {
	return resource.TestStep{
		Config: shortcutOverPeering(l, leaf, ""), ResourceName: overPeering, ImportState: true,
		ImportStateId: "europe/" + leaf, ImportStatePersist: true,
	}
}

// changed is a setting that no object shows. The first update after an import marks the objects, whatever it changes.
const changed = `timeouts = { create = "3m" }`

// refused returns the message about the peering of a leaf with another cluster, which has this role, when a destroy
// would remove its network.
func refused(other, role string) string {
	return fmt.Sprintf("This leaf needs the network for the peering with %q (ForeignCluster %s, role %s). Nothing "+
		"was removed. End the peering first with "+
		"`liqoctl unpeer`, or set `destroy_peering_network = true` and apply that before "+
		"the destroy. If it is the only peering of the two clusters, `liqoctl` also removes the network.",
		other, other, role)
}

func TestAccPeeringsShowInTheTopologyNextToAShortcut(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	acctest.Apply(t, resource.TestStep{
		Config: lab.Contexts(acctest.ShortcutRomeMilan + `
			data "liqo_topology" "all" {
			  depends_on = [liqo_shortcut.rome_milan]
			}
			data "liqo_shortcuts" "all" {
			  depends_on = [liqo_shortcut.rome_milan]
			}`),
		ConfigStateChecks: []statecheck.StateCheck{
			acctest.Shows("liqo_topology.all", acctest.Exactly(strings.Join([]string{
				`flowchart LR`,
				`  n0(("europe"))`,
				`  n1["milan"]`,
				`  n2["rome"]`,
				`  n0 -->|"peering"| n1`,
				`  n0 -->|"peering"| n2`,
				`  n2 ==>|"shortcut"| n1`,
				``,
			}, "\n")), "mermaid"),
			acctest.Shows("liqo_topology.all", acctest.Exactly("peering"), "edges", 0, "made_by"),
			acctest.Shows("liqo_topology.all", acctest.Connected, "edges", 0, "status"),
			acctest.Shows("liqo_topology.all", knownvalue.Bool(false), "edges", 0, "both_ways"),
			acctest.Shows("liqo_shortcuts.all", knownvalue.ListSizeExact(3), "shortcuts"),
			acctest.Shows("liqo_shortcuts.all", acctest.Exactly("peering"), "shortcuts", 0, "made_by"),
			acctest.Shows("liqo_shortcuts.all", acctest.Exactly("terraform-provider-liqo"), "shortcuts", 2, "made_by"),
		},
	})
}

func TestAccAShortcutOfTwoLeavesComesAndGoesAndThePeeringsStayAsTheyWere(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	networks := lab.Networks(t)
	acctest.Apply(t, resource.TestStep{
		Config:            lab.Contexts(acctest.ShortcutRomeMilan),
		ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
	})
	lab.SameNetworks(t, networks)
}

func TestAccANetworkThatAPeeringUsesIsNotTakenOverUnasked(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	networks := lab.Networks(t)
	acctest.Apply(t, resource.TestStep{
		Config: shortcutOverPeering(lab, "rome", ""),
		ExpectError: acctest.Message(`A network with "…" exists already on leaf "…"`, // whichever leaf is asked first
			`This provider did not make Configuration …, Gateway…, PublicKey …; the peering with "…" `+
				`(ForeignCluster …, role …) did.`,
			"To manage it here, import it, with the address of this resource after `to`:",
			`import { to = liqo_shortcut.europe_rome id = "europe/rome" }`,
			"To begin anew, end the peering first with `liqoctl unpeer`."),
	})
	lab.SameNetworks(t, networks)
}

// Rome consumes resources of Milan over a shortcut that exists already.
func TestAccAPeeringBeginsAndEndsOnTheNetworkOfAnEarlierShortcut(t *testing.T) {
	l := acctest.Borrow(t, peered)
	forgetRequests := newSigningRequests(t, l.Client(t, "milan"))
	before := l.Networks(t)
	p := l.NewProject(t, t.TempDir())
	acctest.DestroyAtLast(p)
	p.Configure(acctest.Joining("earlier", "rome", "milan", ""))
	p.Apply()
	networks := l.Networks(t)
	l.Command(t, "peer", "rome", "milan")
	l.SameNetworks(t, networks)
	p.Unchanged()
	acctest.Says(t, p.Refused("destroy", "-auto-approve"), refused("milan", "Provider"), refused("rome", "Consumer"))
	l.SameNetworks(t, networks)

	l.Liqoctl(t, "rome", "milan", "unpeer") // removes the network, too
	acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.Unchanged()
	for leaf, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		// Liqo records some time later that the peering has ended, but not always before it is asked to look again.
		for _, value := range []string{`"again"`, `null`} {
			record := &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: other}}
			look := fmt.Sprintf(`{"metadata":{"labels":{"look":%s}}}`, value)
			acctest.Must(t, l.Client(t, leaf).Patch(t.Context(), record, client.RawPatch(types.MergePatchType, []byte(look))))
		}
		acctest.Await(t, l, leaf, &liqov1beta1.ForeignClusterList{}, other, func(record *liqov1beta1.ForeignCluster) bool {
			return !record.Status.Modules.Authentication.Enabled && !record.Status.Modules.Offloading.Enabled
		})
	}
	p.Run("destroy", "-auto-approve")
	l.SameNetworks(t, before)
	forgetRequests()
}

// newSigningRequests returns a function that deletes the signing requests which a provider of resources has got since
// then. Kubernetes keeps them for an hour.
func newSigningRequests(t *testing.T, provider client.Client) func() {
	t.Helper()
	requests := func() []certificatesv1.CertificateSigningRequest {
		var all certificatesv1.CertificateSigningRequestList
		acctest.Must(t, provider.List(t.Context(), &all))
		return all.Items
	}
	before := requests()
	return func() {
		for _, request := range requests() {
			isOld := func(old certificatesv1.CertificateSigningRequest) bool { return old.UID == request.UID }
			if slices.ContainsFunc(before, isOld) {
				continue
			}
			acctest.Must(t, provider.Delete(t.Context(), &request))
		}
	}
}

func TestAccAPeeringMissingInLiqosRecordKeepsItsNetwork(t *testing.T) {
	lab := acctest.UseUp(t, peered)
	forget := func(at, of string) {
		record := &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: of}}
		patch := client.RawPatch(types.MergePatchType, []byte(
			`{"status":{"role":"Unknown","modules":{"authentication":{"enabled":false},"offloading":{"enabled":false}}}}`))
		acctest.Must(t, lab.Client(t, at).Status().Patch(t.Context(), record, patch))
	}
	marked := shortcutOverPeering(lab, "rome", changed)
	var networks []string
	acctest.Apply(t,
		imports(lab, "rome"),
		resource.TestStep{
			Config: marked,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(overPeering, tfjsonpath.New("status"), acctest.Connected),
			},
		},
		resource.TestStep{
			PreConfig: func() { // as in Liqo's record when a gateway has no Deployment
				networks = lab.Networks(t)
				for _, name := range []string{"europe", "rome"} {
					lab.Command(t, "set", name, "liqo=stopped")
				}
				forget("europe", "rome")
				forget("rome", "europe")
			},
			Config: marked, Destroy: true,
			ExpectError: acctest.Message(`A peering uses the network on leaf "europe"`,
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
				lab.SameNetworks(t, networks)
				for _, name := range []string{"europe", "rome"} {
					lab.Command(t, "set", name, "liqo=running")
				}
			},
			Config: shortcutOverPeering(lab, "rome", changed+"\ndestroy_peering_network = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(overPeering, plancheck.ResourceActionUpdate)},
			},
		},
	)
	for at, of := range map[string]string{"europe": "rome", "rome": "europe"} {
		var namespace corev1.Namespace
		if err := lab.Client(t, at).Get(
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
	if err := lab.Client(t, "rome").List(t.Context(), &tenants); err != nil || len(tenants.Items) != 1 {
		t.Errorf("Rome has Tenants %v (%v)", tenants.Items, err)
	}
	if err := lab.Client(t, "europe").List(
		t.Context(), &identities, client.InNamespace("liqo-tenant-rome"),
	); err != nil || len(identities.Items) == 0 {
		t.Errorf("Europe has no Identity for Rome any more (%v)", err)
	}
}

func TestAccWhatAPeeringUsesIsNotDestroyedUnlessThatIsForced(t *testing.T) {
	lab := acctest.UseUp(t, peered) // the peerings lose their networks
	marks := resource.TestStep{
		Config: shortcutOverPeering(lab, "rome", changed),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(overPeering, tfjsonpath.New("status"), acctest.Connected),
		},
	}
	for name, test := range map[string]struct {
		leaf, settings string
		takeOver       []resource.TestStep
	}{
		"after it was imported and marked": {"rome", changed, []resource.TestStep{imports(lab, "rome"), marks}},
		"after it was imported":            {"milan", "", []resource.TestStep{imports(lab, "milan")}},
	} {
		t.Run(name, func(t *testing.T) {
			before := lab.Networks(t)
			var networks []string
			acctest.Apply(t, append(test.takeOver,
				resource.TestStep{
					PreConfig: func() {
						if networks = lab.Networks(t); !slices.Equal(acctest.WithoutLabels(networks), acctest.WithoutLabels(before)) {
							t.Errorf("the import has changed more than labels; before:\n%s\nnow:\n%s", strings.Join(before, "\n"),
								strings.Join(networks, "\n"))
						}
					},
					Config: shortcutOverPeering(lab, test.leaf, test.settings), Destroy: true,
					ExpectError: acctest.Message(`A peering uses the network on leaf "europe"`,
						refused(test.leaf, "Provider"), fmt.Sprintf(`In addition, a peering uses the network `+
							`on leaf %q.`, test.leaf), refused("europe", "Consumer")),
				},
				resource.TestStep{ // the shortcut is still in the state, unchanged
					Config:           shortcutOverPeering(lab, test.leaf, test.settings),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(overPeering, tfjsonpath.New("status"), acctest.Connected),
					},
				},
				resource.TestStep{
					PreConfig: func() { lab.SameNetworks(t, networks) },
					Config:    shortcutOverPeering(lab, test.leaf, test.settings+"\ndestroy_peering_network = true"),
					ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(overPeering, plancheck.ResourceActionUpdate)},
					},
				},
			)...)
			for _, line := range lab.Networks(t) {
				if strings.Contains(line, " liqo-tenant-"+test.leaf+"/") || strings.HasPrefix(line, test.leaf+" ") {
					t.Errorf("the forced destroy has left %s", line)
				}
			}
		})
	}
}
