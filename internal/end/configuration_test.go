package end

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAConfigurationIsGoneOnlyOnceItsRangesAreFree(t *testing.T) {
	configuration := ours(clustertest.Configuration("rome"))
	configuration.UID = "configuration"
	held := taken("10.0.0.0/16", nil)
	held.Namespace = configuration.Namespace
	held.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: "Configuration", Name: "rome", UID: configuration.UID,
	}}
	untilTimeIsUp(t, func(ctx context.Context, t *testing.T) { // no garbage collector runs here
		t.Helper()
		err := milansEnd(t, configuration, held).RemoveConfigurations(ctx)
		if err == nil || !strings.Contains(err.Error(), "Network liqo-tenant-rome/one to be deleted") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAConfigurationHasTheOtherLeafsRanges(t *testing.T) {
	existing := clustertest.Configuration("rome")
	existing.Name = "of-another-name"
	elsewhere := clustertest.Configuration("rome")
	elsewhere.Namespace = "elsewhere"
	for name, test := range map[string]struct {
		existing []client.Object
		expected string // the name in the tenant namespace
	}{
		"new":                  {nil, "rome"},
		"there already":        {[]client.Object{ours(existing)}, "of-another-name"},
		"in another namespace": {[]client.Object{ours(elsewhere)}, "rome"},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.existing...)
			must(t, milan.EnsureConfiguration(t.Context(), "liqo-tenant-rome", romesNetworks))
			objects := found(t, milan)
			if len(objects.Extra) > 0 || objects.Namespace() != "liqo-tenant-rome" ||
				objects.Configuration.Name != test.expected {
				t.Fatalf("it is %v, and there are %d more", objects.Configuration, len(objects.Extra))
			}
			if remote := objects.ObservedRemote(); !slices.Equal(remote.PodCIDRs, romesNetworks.PodCIDRs) ||
				remote.ExternalCIDR != romesNetworks.ExternalCIDR {
				t.Errorf("it tells %+v", remote)
			}
		})
	}
}

func TestAConfigurationRecordsItsOrigin(t *testing.T) {
	configuration := clustertest.Configuration("rome")
	me.Mark(configuration)
	milan := milansEnd(t, configuration)
	milan.Owner = owner.Owner{Token: me.Token, Origin: owner.Origin{Directory: "another"}}
	must(t, milan.EnsureConfiguration(t.Context(), "liqo-tenant-rome", romesNetworks))
	if origin := owner.OriginOf(found(t, milan).Configuration); origin != me.Origin {
		t.Errorf("it was made %s", origin)
	}
}

func TestARemappingFailsOnlyIfItIsForbidden(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			configuration := ours(clustertest.Remapped("rome", test.pods, "10.71.0.0/16"))
			milan := milansEnd(t, append(reactions.Networks(configuration), configuration)...)
			err := milan.WaitForRemapping(t.Context(), test.forbidden)
			if errors.Is(err, ErrRemapped) != test.refused || (err == nil) == test.refused ||
				test.refused && !strings.Contains(err.Error(), "No gateway was created or changed.") {
				t.Error(err)
			}
		})
	}
}

func TestAKeptConfigurationHasNoOwnerAndObjectsOfOthersAreNamed(t *testing.T) {
	configuration := clustertest.Configuration("rome")
	me.Mark(configuration)
	milan := milansEnd(t, configuration, romesNamespace(me), clustertest.PublicKey("rome"))
	milan.Owner = me
	leftovers, err := milan.KeepConfigurations(t.Context())
	if err != nil || leftovers.Kept != "Objects that another user created stay: PublicKey liqo-tenant-rome/rome." {
		t.Errorf("it says %q (%v)", leftovers.Kept, err)
	}
	all, err := milan.Markable(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("left are %d objects (%v)", len(all), err)
	}
	for _, object := range all {
		expected := map[bool]owner.Whose{true: owner.Foreign, false: owner.Orphan}[isPublicKey(object)]
		if me.Whose(object) != expected {
			t.Errorf("%s is marked %v, %v", milan.Leaf.Describe(object), object.GetLabels(), object.GetAnnotations())
		}
	}
}

func TestARemovalSparesAnObjectThatHasTakenThePlaceOfTheOneItHasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		configuration := clustertest.Configuration("rome")
		configuration.UID = "read"
		me.Mark(configuration)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		replaced := false
		clustertest.On(milan.Leaf, "delete", func(call clustertest.Call[*networkingv1beta1.Configuration]) error {
			if !replaced {
				replaced = true
				other := clustertest.Configuration("rome")
				other.UID = "another"
				must(t, call.Client.Delete(call.Context, configuration.DeepCopy()))
				must(t, call.Client.Create(call.Context, other))
			}
			return call.Send()
		})
		if err := milan.RemoveConfigurations(t.Context()); err == nil {
			t.Error("it succeeded")
		}
		if left := reread(t, milan, configuration); left.UID != "another" {
			t.Errorf("left is %s", left.UID)
		}
	})
}
