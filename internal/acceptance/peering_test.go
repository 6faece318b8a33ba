package acceptance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// startPeeredLab starts a lab in which Europe consumes resources of Rome and Milan, with peerings made by liqoctl.
func startPeeredLab(t *testing.T) *Lab {
	t.Helper()
	return useUpLab(t, []string{
		"--peer=europe=rome", "--peer=europe=milan",
		"--cluster=europe=10.200.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
	})
}

// networks lists the requested objects of all networks in every cluster of the lab, one per line. A line changes if the
// object is replaced or its spec changes. It does not contain the status, which Liqo reports.
func (l *Lab) networks(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, c := range l.Clusters {
		for _, list := range []client.ObjectList{
			&networkingv1beta1.ConfigurationList{}, &networkingv1beta1.GatewayServerList{},
			&networkingv1beta1.GatewayClientList{},
			&networkingv1beta1.PublicKeyList{}, &networkingv1beta1.ConnectionList{},
		} {
			err := l.client(t, c.Name).List(t.Context(), list)
			if lacksLiqo(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			objects, err := meta.ExtractList(list)
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range objects {
				o, ok := object.(client.Object)
				if !ok {
					t.Fatalf("%T has no metadata", object)
				}
				lines = append(lines, fmt.Sprintf("%s %T %s %s generation %d, labels %v",
					c.Name, o, client.ObjectKeyFromObject(o), o.GetUID(), o.GetGeneration(), o.GetLabels()))
			}
		}
	}
	return lines
}

// lacksLiqo reports whether a request has failed because the cluster has no Liqo. The first request of a client for a
// kind of a group that is not served fails in another way than the later ones.
func lacksLiqo(err error) bool {
	_, unknown := errors.AsType[*apiutil.ErrResourceDiscoveryFailed](err)
	return unknown || meta.IsNoMatchError(err)
}

// sameNetworks fails the test if any of these objects has changed.
func (l *Lab) sameNetworks(t *testing.T, before []string) {
	t.Helper()
	if after := l.networks(t); !slices.Equal(before, after) {
		t.Errorf("the networks have changed; "+
			"before:\n%s\nnow:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// overPeering returns a shortcut over the network of Europe's peering with a leaf, with more attributes.
func (l *Lab) overPeering(leaf, more string) string {
	return l.contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "over_peering" {
		  client         = "europe"
		  server         = %q
		  server_gateway = { service_type = "NodePort" }
		  %s
		}`, leaf, more))
}

const overPeering = "liqo_shortcut.over_peering"

func TestAccNextToPeerings(t *testing.T) {
	peered := startPeeredLab(t)

	t.Run("they show in the topology, next to a shortcut", func(t *testing.T) {
		peered.keepsInventory(t)
		apply(t, resource.TestStep{
			Config: peered.contexts(shortcutRomeMilan + `
				data "liqo_topology" "all" {
				  depends_on = [liqo_shortcut.rome_milan]
				}
				data "liqo_shortcuts" "all" {
				  depends_on = [liqo_shortcut.rome_milan]
				}`),
			ConfigStateChecks: []statecheck.StateCheck{
				shows("liqo_topology.all", exactly(strings.Join([]string{
					`flowchart LR`,
					`  n0(("europe"))`,
					`  n1["milan"]`,
					`  n2["rome"]`,
					`  n0 -->|"peering"| n1`,
					`  n0 -->|"peering"| n2`,
					`  n2 ==>|"shortcut"| n1`,
					``,
				}, "\n")), "mermaid"),
				shows("liqo_topology.all", exactly("peering"), "edges", 0, "made_by"),
				shows("liqo_topology.all", connected, "edges", 0, "status"),
				shows("liqo_topology.all", knownvalue.Bool(false), "edges", 0, "both_ways"),
				shows("liqo_shortcuts.all", knownvalue.ListSizeExact(3), "shortcuts"),
				shows("liqo_shortcuts.all", exactly("peering"), "shortcuts", 0, "made_by"),
				shows("liqo_shortcuts.all", knownvalue.Bool(true), "shortcuts", 2, "managed"),
			},
		})
	})

	t.Run("the rights of the examples of roles end at networks", func(t *testing.T) {
		peered.theRightsEndAtNetworks(t, "rome")
	})

	t.Run("a shortcut of two leaves comes and goes, and the peerings stay as they were", func(t *testing.T) {
		peered.keepsInventory(t)
		networks := peered.networks(t)
		apply(t, resource.TestStep{
			Config:            peered.contexts(shortcutRomeMilan),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		})
		peered.sameNetworks(t, networks)
	})

	t.Run("the leaves are reached through the centre, which has credentials for them",
		peered.theLeavesAreReachedThroughTheCentre)

	t.Run("pods behind a Service meet over the shortcut, while the Service requests it",
		peered.podsBehindAServiceMeetOverTheShortcut)

	t.Run("a peering begins and ends on the network of an earlier shortcut", peered.aPeeringBeginsAndEndsOverAShortcut)

	t.Run("a network that a peering uses is not taken over unasked", func(t *testing.T) {
		peered.keepsInventory(t)
		networks := peered.networks(t)
		apply(t, resource.TestStep{
			Config: peered.overPeering("rome", ""),
			ExpectError: message(`A network with "…" exists already on leaf "…"`, // whichever leaf is asked first
				`This provider did not make Configuration …, Gateway…, PublicKey …; the peering with "…" `+
					`(ForeignCluster …, role …) did.`,
				"Import that network, set `adopt_existing = true` to take it over, or end the peering first with "+
					"`liqoctl unpeer`."),
		})
		peered.sameNetworks(t, networks)
	})

	t.Run("what a peering uses is not destroyed after it was adopted, unless that is forced", func(t *testing.T) {
		peered.keptUnlessForced(t, "rome", resource.TestStep{
			Config: peered.overPeering("rome", "adopt_existing = true"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(overPeering, tfjsonpath.New("status"), connected),
			},
		}, "adopt_existing = true")
	})

	t.Run("what a peering uses is not destroyed after it was imported, unless that is forced", func(t *testing.T) {
		peered.keptUnlessForced(t, "milan", resource.TestStep{
			Config: peered.overPeering("milan", ""), ResourceName: overPeering, ImportState: true,
			ImportStateId: "europe/milan", ImportStatePersist: true,
		}, "")
	})
}

// refused returns the message about the peering of a leaf with another cluster, which has this role, when a destroy
// would remove its network.
func refused(other, role string) string {
	return fmt.Sprintf("This leaf needs the network for the peering with %q (ForeignCluster %s, role %s). Nothing "+
		"was removed. End the peering first with "+
		"`liqoctl unpeer`, or set `destroy_peering_network = true` and apply that before "+
		"the destroy. If it is the only peering of the two clusters, `liqoctl` also removes the network.",
		other, other, role)
}

// withoutLabels returns the lines of networks without what changes when someone else takes over the objects.
func withoutLabels(lines []string) []string {
	cut := make([]string, len(lines))
	for i, line := range lines {
		cut[i], _, _ = strings.Cut(line, ", labels ")
	}
	return cut
}

// keptUnlessForced takes over the network of a peering in the first step, tries to destroy it, and then forces the
// destroy. Settings are those of the resource.
func (l *Lab) keptUnlessForced(t *testing.T, leaf string, takeOver resource.TestStep, settings string) {
	t.Helper()
	before := l.networks(t)
	var networks []string
	apply(t, takeOver,
		resource.TestStep{
			PreConfig: func() {
				if networks = l.networks(t); !slices.Equal(withoutLabels(networks), withoutLabels(before)) {
					t.Errorf(
						"the adoption has changed more than labels; before:\n%s\nnow:\n%s", strings.Join(before, "\n"),
						strings.Join(networks, "\n"),
					)
				}
			},
			Config: l.overPeering(leaf, settings), Destroy: true,
			ExpectError: message(`A peering uses the network on leaf "europe"`,
				refused(leaf, "Provider"), fmt.Sprintf(`In addition, a peering uses the network `+
					`on leaf %q.`, leaf), refused("europe", "Consumer")),
		},
		resource.TestStep{ // the shortcut is still in the state, unchanged
			Config:           l.overPeering(leaf, settings),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(overPeering, tfjsonpath.New("status"), connected),
			},
		},
		resource.TestStep{
			PreConfig: func() { l.sameNetworks(t, networks) },
			Config:    l.overPeering(leaf, settings+"\ndestroy_peering_network = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(overPeering, plancheck.ResourceActionUpdate)},
			},
		},
	)
	for _, line := range l.networks(t) {
		if strings.Contains(line, " liqo-tenant-"+leaf+"/") || strings.HasPrefix(line, leaf+" ") {
			t.Errorf("the forced destroy has left %s", line)
		}
	}
}
