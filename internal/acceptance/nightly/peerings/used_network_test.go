package peerings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// shortcutOverPeering returns a shortcut over the network of Europe's peering with a leaf, with more attributes.
func shortcutOverPeering(l *acctest.Lab, leaf, more string) string {
	return l.Contexts(acctest.Joining("over_peering", "europe", leaf, more))
}

const overPeering = "liqo_shortcut.over_peering"

// imported returns a project into which the network of Europe's peering with a leaf was imported. Unasked, it is not
// taken over.
func imported(t *testing.T, l *acctest.Lab, leaf string) *acctest.Project {
	t.Helper()
	networks, config := l.Networks(t), shortcutOverPeering(l, leaf, "")
	p := l.Written(t, config)
	acctest.Explains(t, p.Refuses(config), `A network with "…" exists already on leaf "…"`, // whichever is asked first
		`This provider did not make Configuration …, Gateway…, PublicKey …; the peering with "…" `+
			`(ForeignCluster …, role …) did.`,
		"To manage it here, import it, with the address of this resource after `to`:",
		`import { to = liqo_shortcut.europe_`+leaf+` id = "europe/`+leaf+`" }`,
		"To begin anew, end the peering first with `liqoctl unpeer`.")
	l.SameNetworks(t, networks)
	p.Run("import", overPeering, "europe/"+leaf)
	return p
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

func TestAccAShortcutComesAndGoesAndThePeeringsNextToItStayAsTheyWere(t *testing.T) {
	lab := acctest.Borrow(t, peered)
	networks := lab.Networks(t)
	p := lab.Applied(t, lab.Contexts(acctest.ShortcutRomeMilan+`
		data "liqo_topology" "all" {
		  depends_on = [liqo_shortcut.rome_milan]
		}
		data "liqo_shortcuts" "all" {
		  depends_on = [liqo_shortcut.rome_milan]
		}`))
	p.IsConnected()
	p.Is("data.liqo_topology.all", map[string]any{
		"edges.0.kind": "peering", "edges.0.made_by": "peering", "edges.0.status": "Connected", "edges.0.both_ways": false,
		"edges.1.kind": "peering", "edges.2.kind": "shortcut",
	})
	p.Is("data.liqo_shortcuts.all", map[string]any{
		"shortcuts.#": 3, "shortcuts.0.made_by": "peering", "shortcuts.2.made_by": "terraform-provider-liqo",
	})
	p.Run("destroy", "-auto-approve")
	lab.SameNetworks(t, networks)
}

// Rome consumes resources of Milan over a shortcut that exists already.
func TestAccAPeeringBeginsAndEndsOnTheNetworkOfAnEarlierShortcut(t *testing.T) {
	l := acctest.Borrow(t, peered)
	forgetRequests := newSigningRequests(t, l.Client(t, "milan"))
	before := l.Networks(t)
	p := l.Applied(t, acctest.Required+acctest.Joining("earlier", "rome", "milan", ""))
	networks := l.Networks(t)
	l.Command(t, "peer", "rome", "milan")
	l.SameNetworks(t, networks)
	p.Unchanged()
	acctest.Says(t, p.Refused("destroy", "-auto-approve"), refused("milan", "Provider"), refused("rome", "Consumer"))
	l.SameNetworks(t, networks)

	l.Liqoctl(t, "rome", "milan", "unpeer") // removes the network, too
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	p.Unchanged()
	for leaf, other := range acctest.Other {
		// Liqo records some time later that the peering has ended, and perhaps only when it is asked to look again.
		acctest.Await(t, l, leaf, &liqov1beta1.ForeignClusterList{}, other, func(record *liqov1beta1.ForeignCluster) bool {
			if !record.Status.Modules.Authentication.Enabled && !record.Status.Modules.Offloading.Enabled {
				return true
			}
			l.Patch(t, leaf, record, fmt.Sprintf(`{"metadata":{"labels":{"look":%q}}}`, record.ResourceVersion))
			return false
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
	of := map[string]string{"europe": "rome", "rome": "europe"}
	p := imported(t, lab, "rome")
	p.Becomes(shortcutOverPeering(lab, "rome", changed))
	p.Is(overPeering, map[string]any{"status": "Connected"})
	networks := lab.Networks(t)
	for name, other := range of { // as in Liqo's record when a gateway has no Deployment
		lab.Set(t, name, "liqo=stopped")
		lab.PatchStatus(t, name, acctest.Named(&liqov1beta1.ForeignCluster{}, "", other),
			`{"status":{"role":"Unknown","modules":{"authentication":{"enabled":false},"offloading":{"enabled":false}}}}`)
	}
	acctest.Explains(t, p.Refused("destroy", "-auto-approve"), `A peering uses the network on leaf "europe"`,
		`This leaf needs the network for the peering with "rome" (Identity liqo-tenant-rome/…). Nothing was removed. `+
			"End the peering first with `liqoctl unpeer`, or set `destroy_peering_network = true` and "+
			"apply that before the destroy. If it is the only peering of the two clusters, `liqoctl` also removes "+
			"the network.",
		`In addition, a peering uses the network on leaf "rome".`,
		`This leaf needs the network for the peering with "europe" (Tenant …). Nothing was removed.`)
	lab.SameNetworks(t, networks)
	for name := range of {
		lab.Set(t, name, "liqo=running")
	}
	p.Becomes(shortcutOverPeering(lab, "rome", changed+"\ndestroy_peering_network = true"), acctest.InPlace)
	p.Run("destroy", "-auto-approve")
	for at, other := range of {
		namespace := acctest.Get[corev1.Namespace](t, lab, at, "", "liqo-tenant-"+other)
		if namespace.DeletionTimestamp != nil {
			t.Errorf("the peering loses its tenant namespace on %s", at)
		}
		if len(namespace.Annotations) > 0 {
			t.Errorf("the tenant namespace on %s is still marked: %v", at, namespace.Annotations)
		}
	}
	acctest.Only[*authv1beta1.Tenant](t, lab, "rome", &authv1beta1.TenantList{})
	ofRome := client.InNamespace("liqo-tenant-rome")
	if lab.Shows(t, "europe", &authv1beta1.IdentityList{}, ".metadata.name", ofRome) == "" {
		t.Error("Europe has no Identity for Rome any more")
	}
}

func TestAccWhatAPeeringUsesIsNotDestroyedUnlessThatIsForced(t *testing.T) {
	lab := acctest.UseUp(t, peered) // the peerings lose their networks
	for name, test := range map[string]struct{ leaf, settings string }{
		"after it was imported and marked": {"rome", changed},
		"after it was imported":            {"milan", ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := lab.Networks(t)
			p := imported(t, lab, test.leaf)
			config := shortcutOverPeering(lab, test.leaf, test.settings)
			if test.settings != "" {
				p.Becomes(config)
			}
			networks := lab.Networks(t)
			if !slices.Equal(acctest.WithoutLabels(networks), acctest.WithoutLabels(before)) {
				t.Errorf("the import has changed more than labels; before:\n%s\nnow:\n%s", strings.Join(before, "\n"),
					strings.Join(networks, "\n"))
			}
			acctest.Explains(t, p.Refused("destroy", "-auto-approve"), `A peering uses the network on leaf "europe"`,
				refused(test.leaf, "Provider"), fmt.Sprintf(`In addition, a peering uses the network on leaf %q.`, test.leaf),
				refused("europe", "Consumer"))
			acctest.Says(t, p.Again(), acctest.Nothing) // the shortcut is still in the state, unchanged
			p.Is(overPeering, map[string]any{"status": "Connected"})
			lab.SameNetworks(t, networks)
			p.Becomes(shortcutOverPeering(lab, test.leaf, test.settings+"\ndestroy_peering_network = true"), acctest.InPlace)
			p.Run("destroy", "-auto-approve")
			for _, line := range lab.Networks(t) {
				if strings.Contains(line, " liqo-tenant-"+test.leaf+"/") || strings.HasPrefix(line, test.leaf+" ") {
					t.Errorf("the forced destroy has left %s", line)
				}
			}
		})
	}
}
