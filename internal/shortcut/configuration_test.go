package shortcut

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// remappedBy is [theirs] after Liqo has decided.
func remappedBy(remote, pods, external string) *networkingv1beta1.Configuration {
	configuration := ours(theirs(remote))
	configuration.Status = networkingv1beta1.ConfigurationStatus{
		Conditions: []metav1.Condition{{Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue}},
		Remote: &networkingv1beta1.ClusterConfig{CIDR: networkingv1beta1.ClusterConfigCIDR{
			Pod: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(pods)}, External: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(external)},
		}},
	}
	return configuration
}

func TestAConfigurationIsGoneOnlyOnceItsRangesAreFree(t *testing.T) {
	configuration := ours(theirs("milan"))
	configuration.UID = "configuration"
	held := &ipamv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{
		Name: "milan-pod", Namespace: configuration.Namespace,
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "networking.liqo.io/v1beta1", Kind: "Configuration", Name: "milan", UID: configuration.UID}},
	}}
	rome := clustertest.Leaf(t, "rome", configuration, held)

	// Nobody collects the Network here, so the removal gets as far as waiting for it.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	unsubscribe, err := rome.Events.Subscribe(ctx, func(client.Object) {
		if err := rome.Live.Get(ctx, client.ObjectKeyFromObject(configuration), &networkingv1beta1.Configuration{}); err != nil {
			cancel() // the Configuration itself is gone
		}
	}, &networkingv1beta1.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	defer unsubscribe()
	err = endAt(rome, "milan").removeConfigurations(ctx)
	if err == nil || !strings.Contains(err.Error(), "Network liqo-tenant-milan/milan-pod to be deleted") {
		t.Errorf("got %v", err)
	}
}

func TestARemappingShowsOnlyOnceLiqoHasDecided(t *testing.T) {
	undecided := remappedBy("milan", "10.10.0.0/16", "10.71.0.0/16")
	undecided.Status.Conditions = nil
	network := networkOf(undecided)
	if len(network.PodCIDRs) != 1 || network.RemappedPodCIDRs != nil || network.RemappedExternalCIDR != "" {
		t.Errorf("got %+v", network)
	}
}

func TestAConfigurationTellsTheOtherLeafsRanges(t *testing.T) {
	told := cluster.Networks{PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.71.0.0/16"}
	existing := theirs("rome")
	existing.Name = "of-another-name"
	elsewhere := theirs("rome")
	elsewhere.Namespace = "elsewhere"
	for name, test := range map[string]struct {
		existing []client.Object
		expected string // the name in the tenant namespace
	}{
		"new":                  {nil, "rome"},
		"there already":        {[]client.Object{ours(existing)}, "of-another-name"},
		"in another namespace": {[]client.Object{ours(elsewhere)}, "rome"},
	} {
		milan := milansEnd(t, test.existing...)
		if err := milan.ensureConfiguration(t.Context(), "liqo-tenant-rome", told); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found, err := milan.find(t.Context())
		if err != nil || len(found.extra) > 0 || found.namespace() != "liqo-tenant-rome" || found.configuration.Name != test.expected {
			t.Fatalf("%s: it is %v, and there are %d more (%v)", name, found.configuration, len(found.extra), err)
		}
		if network := networkOf(found.configuration); !slices.Equal(network.PodCIDRs, told.PodCIDRs) || network.ExternalCIDR != told.ExternalCIDR {
			t.Errorf("%s: it tells %+v", name, network)
		}
	}
}

func TestAConfigurationKeepsWhereItsOwnerMadeIt(t *testing.T) {
	configuration := theirs("rome")
	me.mark(configuration)
	milan := milansEnd(t, configuration)
	milan.owner = Owner{Token: me.Token, Origin: Origin{Folder: "another"}}
	if err := milan.ensureConfiguration(t.Context(), "liqo-tenant-rome", cluster.Networks{PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.71.0.0/16"}); err != nil {
		t.Fatal(err)
	}
	if found, err := milan.find(t.Context()); err != nil || originOf(found.configuration) != me.Origin {
		t.Errorf("it was made %s (%v)", originOf(found.configuration), err)
	}
}

func TestARemappingIsRefusedOnlyWhereItIsForbidden(t *testing.T) {
	for name, test := range map[string]struct {
		pods      string // where Milan reaches Rome's 10.0.0.0/16
		forbidden bool
		refused   bool
	}{
		"as they are, allowed":   {"10.0.0.0/16", false, false},
		"as they are, forbidden": {"10.0.0.0/16", true, false},
		"remapped, allowed":      {"10.20.0.0/16", false, false},
		"remapped, forbidden":    {"10.20.0.0/16", true, true},
	} {
		err := milansEnd(t, remappedBy("rome", test.pods, "10.71.0.0/16")).waitForRemapping(t.Context(), test.forbidden)
		if errors.Is(err, errRemapped) != test.refused || (err == nil) == test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALeafAnnouncesItsOwnRangesUnlessItsSpecSaysOthers(t *testing.T) {
	for name, test := range map[string]struct {
		announcement Announcement
		expected     cluster.Networks
		refused      bool
	}{
		"nothing":         {Announcement{}, cluster.Networks{PodCIDRs: []string{"10.0.0.0/16"}, ExternalCIDR: "10.70.0.0/16"}, false},
		"a part":          {Announcement{PodCIDRs: []string{"10.0.1.0/24"}}, cluster.Networks{PodCIDRs: []string{"10.0.1.0/24"}, ExternalCIDR: "10.70.0.0/16"}, false},
		"another outside": {Announcement{ExternalCIDR: "10.70.1.0/24"}, cluster.Networks{PodCIDRs: []string{"10.0.0.0/16"}, ExternalCIDR: "10.70.1.0/24"}, false},
		"IPv6":            {Announcement{PodCIDRs: []string{"fd00::/64"}}, cluster.Networks{}, true},
	} {
		announced, err := romesEnd(t, ranges("10.0.0.0/16")...).Announce(t.Context(), test.announcement)
		if test.refused {
			if explain.Summary(err) != `Liqo can't join the IPv6 range fd00::/64 on leaf "rome"` {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !slices.Equal(announced.PodCIDRs, test.expected.PodCIDRs) || announced.ExternalCIDR != test.expected.ExternalCIDR {
			t.Errorf("%s: got %+v (%v)", name, announced, err)
		}
	}
}

func TestAConfigurationThatIsKeptIsNobodysAndWhatOthersMadeIsNamed(t *testing.T) {
	configuration := theirs("rome")
	me.mark(configuration)
	milan := milansEnd(t, configuration, romesNamespace(me), romesKey(t))
	milan.owner = me
	why, err := milan.keepConfigurations(t.Context())
	if err != nil || why != "What somebody else has made stays: PublicKey liqo-tenant-rome/rome." {
		t.Errorf("it says %q (%v)", why, err)
	}
	all, err := milan.markable(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("left are %d objects (%v)", len(all), err)
	}
	for _, object := range all {
		if expected := map[bool]whose{true: peoples, false: nobodys}[isPublicKey(object)]; me.of(object) != expected {
			t.Errorf("%s is marked %v, %v", milan.leaf.Describe(object), object.GetLabels(), object.GetAnnotations())
		}
	}
}
