package end

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// changed returns a Configuration whose pod CIDR has changed, with the remapping of the old one. Liqo reports it as
// complete for a moment.
func changed(before, after networkingv1beta1.CIDR) *networkingv1beta1.Configuration {
	configuration := ours(clustertest.Remapped("rome", before.String(), "10.70.0.0/16"))
	configuration.Spec.Remote.CIDR.Pod = []networkingv1beta1.CIDR{after}
	return configuration
}

func TestAWaitForARemappingEndsWithTheOneOfTheChangedRanges(t *testing.T) {
	const before, after = "10.1.0.0/17", "10.1.128.0/17"
	old := ours(clustertest.Remapped("rome", before, "10.70.0.0/16"))
	old.Spec.Remote.CIDR.Pod = []networkingv1beta1.CIDR{before}
	objects := append(reactions.Networks(old), changed(before, after))
	for _, forbidden := range []bool{false, true} {
		milan := milansEnd(t, objects...)
		liqoRemaps(t, milan, after)
		must(t, milan.WaitForRemapping(t.Context(), forbidden))
		if remote := found(t, milan).ObservedRemote(); !slices.Equal(remote.RemappedPodCIDRs, []string{after}) {
			t.Errorf("forbidden: %t: got %+v", forbidden, remote)
		}
	}
}

// liqoRemaps makes Liqo replace the ranges that it has allocated on a leaf as soon as someone has looked at them. It
// reports a pod CIDR that it has not remapped.
func liqoRemaps(t *testing.T, e *End, podCIDR networkingv1beta1.CIDR) {
	t.Helper()
	var replaced bool
	replace := func(ctx context.Context, c client.Client) error {
		replaced = true
		objects, err := e.Find(ctx)
		if err != nil {
			return err
		}
		if err := c.DeleteAllOf(ctx, &ipamv1alpha1.Network{}, client.InNamespace(objects.Namespace())); err != nil {
			return err
		}
		configuration := objects.Configuration
		configuration.Status.Remote.CIDR.Pod = []networkingv1beta1.CIDR{podCIDR}
		for _, network := range reactions.Networks(configuration) {
			if err := c.Create(ctx, network); err != nil {
				return err
			}
		}
		return c.Status().Update(ctx, configuration)
	}
	clustertest.On(e.Leaf, "list", func(call clustertest.Call[*ipamv1alpha1.NetworkList]) error {
		if err := call.Send(); err != nil || replaced {
			return err
		}
		return replace(call.Context, call.Client)
	})
}

func TestARemappingOfRangesOfAnotherSizeIsOneOfOldRanges(t *testing.T) {
	remote := liqo.Objects{Configuration: changed("10.1.0.0/16", "10.1.128.0/17")}.ObservedRemote()
	if !slices.Equal(remote.PodCIDRs, []string{"10.1.128.0/17"}) || remote.RemappedPodCIDRs != nil {
		t.Errorf("got %+v", remote)
	}
}

func TestAConfigurationIsReplacedOnlyIfItsRemappingMayStayTheSame(t *testing.T) {
	for name, test := range map[string]struct {
		after    string // the pod CIDR; before, it is 10.0.0.0/16
		replaced bool
	}{
		"the same range":                 {"10.0.0.0/16", false},
		"a part of it":                   {"10.0.0.0/17", false},
		"another range of the same size": {"10.1.0.0/16", true},
	} {
		t.Run(name, func(t *testing.T) {
			before := ours(clustertest.Configuration("rome"))
			before.UID = "before"
			milan := milansEnd(t, before)
			told := liqo.Ranges{PodCIDRs: []string{test.after}, ExternalCIDR: "10.70.0.0/16"}
			must(t, milan.EnsureConfiguration(t.Context(), before.Namespace, told))
			objects := found(t, milan)
			if !slices.Equal(objects.ObservedRemote().PodCIDRs, told.PodCIDRs) {
				t.Fatalf("it is %+v", objects.Configuration)
			}
			if replaced := objects.Configuration.UID != before.UID; replaced != test.replaced {
				t.Errorf("replaced: %t", replaced)
			}
		})
	}
}

func TestLiqoBefore12NeedsANewConfigurationForOtherRanges(t *testing.T) {
	told := liqo.Ranges{PodCIDRs: []string{"10.0.0.0/17"}, ExternalCIDR: "10.70.0.0/16"}
	for name, test := range map[string]struct {
		gateway []client.Object
		refused bool
	}{
		"kept by an earlier shortcut": {nil, false},
		"in use by a gateway":         {[]client.Object{ours(clustertest.GatewayServer("rome", 51840))}, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := ours(clustertest.Configuration("rome"))
			before.UID = "before"
			milan := milansEnd(t, append(test.gateway, before)...)
			clustertest.OlderLiqo(milan.Leaf)
			err := milan.EnsureConfiguration(t.Context(), before.Namespace, told)
			if (err != nil) != test.refused || err != nil &&
				!strings.Contains(err.Error(), "`terraform apply -replace`, or update Liqo on \"milan\"") {
				t.Errorf("it says %v", err)
			}
			if now := found(t, milan).Configuration; (now.UID == "before") != test.refused {
				t.Errorf("it is %+v", now)
			}
		})
	}
}

// configuredAfter are Milan's gateway of now, and a Configuration that is newer by so much.
func configuredAfter(newer time.Duration) []client.Object {
	gateway, configuration := ours(clustertest.GatewayServer("rome", 51840)), ours(clustertest.Configuration("rome"))
	gateway.CreationTimestamp, configuration.UID = metav1.NewTime(time.Now()), "new"
	configuration.CreationTimestamp = metav1.NewTime(time.Now().Add(newer))
	return []client.Object{configuration, gateway}
}

func TestAGatewayOfOlderLiqoChangesIfItsConfigurationIsNewer(t *testing.T) {
	for name, test := range map[string]struct {
		objects []client.Object
		older   bool // Liqo
		changed bool
	}{
		"a Configuration of a gateway": {configuredAfter(-time.Minute), true, false},
		"a newer one":                  {configuredAfter(time.Minute), true, true},
		"a newer one, Liqo follows":    {configuredAfter(time.Minute), false, false},
		"a Configuration only":         {configuredAfter(time.Minute)[:1], true, false},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.objects...)
			if test.older {
				clustertest.OlderLiqo(milan.Leaf)
			}
			must(t, milan.RenewRanges(t.Context()))
			if gateway := found(t, milan).Gateway; gateway != nil &&
				(gateway.GetAnnotations()[rangesAnnotation] == "new") != test.changed {
				t.Errorf("the annotations are %v", gateway.GetAnnotations())
			}
		})
	}
}

func TestRangesAreRenewedAlthoughAnAnswerIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the next request comes after a while
		milan := milansEnd(t, configuredAfter(time.Second)...)
		served, cut := milan.Leaf.Clients().Documents, false
		milan.Leaf.Clients().Documents = clustertest.AnsweredBy(func(*http.Request) (*http.Response, error) {
			cut, milan.Leaf.Clients().Documents = true, served
			return nil, errors.New("unexpected error when reading response body. Please retry")
		})
		if err := milan.RenewRanges(t.Context()); err != nil || !cut {
			t.Errorf("an answer was cut off: %t, and it failed: %v", cut, err)
		}
	})
}
