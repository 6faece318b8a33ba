package end

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestALeafAnnouncesItsOwnRangesUnlessItsSpecSaysOthers(t *testing.T) {
	local := liqo.Ranges{PodCIDRs: []string{"10.0.0.0/16"}, ExternalCIDR: "10.70.0.0/16"}
	parts := []string{"10.0.1.0/24", "10.0.7.0/24"}
	for name, test := range map[string]struct {
		announcement Announcement
		expected     liqo.Ranges
	}{
		"nothing": {Announcement{}, local},
		"its own": {Announcement{local.PodCIDRs, local.ExternalCIDR}, local},
		"parts of its pods": {
			Announcement{PodCIDRs: parts}, liqo.Ranges{PodCIDRs: parts, ExternalCIDR: local.ExternalCIDR},
		},
		"the beginning of others": {
			Announcement{ExternalCIDR: "10.70.0.0/24"}, liqo.Ranges{PodCIDRs: local.PodCIDRs, ExternalCIDR: "10.70.0.0/24"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			announced, err := romesEnd(t, ranges()...).Announce(t.Context(), test.announcement, liqo.RemoteRanges{})
			if err != nil || !slices.Equal(announced.PodCIDRs, test.expected.PodCIDRs) ||
				announced.ExternalCIDR != test.expected.ExternalCIDR {
				t.Errorf("got %+v (%v)", announced, err)
			}
		})
	}
}

func TestRangesThatWouldLosePacketsAreRefused(t *testing.T) {
	pods := func(cidrs ...string) Announcement { return Announcement{PodCIDRs: cidrs} }
	others := func(cidr string) Announcement { return Announcement{ExternalCIDR: cidr} }
	noPods := []string{
		`"rome" have addresses in 10.0.0.0/16.`, `the packets that "milan" sends there would be lost.`,
		"Set `pod_cidrs` to 10.0.0.0/16",
	}
	notTheBeginning := []string{`The external CIDR of "rome" is 10.70.0.0/16.`, "a part that begins with 10.70.0.0."}
	for name, test := range map[string]struct {
		announcement Announcement
		cause        error
		summary      string
		parts        []string
	}{
		"foreign pods": {
			pods("10.0.0.0/24", "10.220.0.0/16"), ErrPodCIDRs, "there are no pods in 10.220.0.0/16", noPods,
		},
		"more than its pods": {pods("10.0.0.0/15"), ErrPodCIDRs, "there are no pods in 10.0.0.0/15", noPods},
		"pods of IPv6":       {pods("fd00::/64"), nil, "Liqo can't join the IPv6 range fd00::/64", nil},
		"others of IPv6":     {others("fd00::/64"), nil, "Liqo can't join the IPv6 range fd00::/64", nil},
		"foreign others": {
			others("10.221.0.0/16"), ErrExternalCIDR, "10.221.0.0/16 does not begin the external CIDR", notTheBeginning,
		},
		"not the beginning of others": {
			others("10.70.1.0/24"), ErrExternalCIDR, "10.70.1.0/24 does not begin the external CIDR", notTheBeginning,
		},
		"more than others": {
			others("10.70.0.0/15"), ErrExternalCIDR, "10.70.0.0/15 does not begin the external CIDR", notTheBeginning,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := romesEnd(t, ranges()...).Announce(t.Context(), test.announcement, liqo.RemoteRanges{})
			says(t, err, test.summary+` on leaf "rome"`, test.parts...)
			if test.cause != nil && !errors.Is(err, test.cause) {
				t.Error(err)
			}
		})
	}
}

func TestRangesThatTheOtherLeafKnowsAlreadyAreNotRefused(t *testing.T) {
	foreign := Announcement{PodCIDRs: []string{"10.220.0.0/16"}, ExternalCIDR: "10.221.0.0/16"}
	rome := romesEnd(t, ranges()...)
	existing := liqo.RemoteRanges{PodCIDRs: foreign.PodCIDRs, ExternalCIDR: foreign.ExternalCIDR}
	if _, err := rome.Announce(t.Context(), foreign, existing); err != nil {
		t.Error(err)
	}
	existing.ExternalCIDR = "10.70.0.0/16"
	if _, err := rome.Announce(t.Context(), foreign, existing); !errors.Is(err, ErrExternalCIDR) {
		t.Errorf("got %v", err)
	}
}

func TestLiqoBefore12ReachesOnlyOnePodCIDR(t *testing.T) {
	two := []string{"10.0.0.0/17", "10.0.128.0/17"}
	for name, test := range map[string]struct {
		announced, told []string
		older, refused  bool
	}{
		"two, Liqo 1.2":                     {two, nil, false, false},
		"one, Liqo 1.1":                     {two[:1], nil, true, false},
		"two, Liqo 1.1":                     {two, nil, true, true},
		"two that it has already, Liqo 1.1": {two, two, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t)
			if test.older {
				clustertest.OlderLiqo(milan.Leaf)
			}
			for resource, advice := range map[owner.Resource]string{
				"":                          "Set `pod_cidrs` of \"rome\" to one of",
				owner.ConfigurationResource: "Set `pod_cidrs` of this resource to one of",
			} {
				milan.Owner.Resource = resource
				err := milan.CheckAnnounced(
					t.Context(), liqo.Ranges{PodCIDRs: test.announced}, liqo.RemoteRanges{PodCIDRs: test.told})
				if errors.Is(err, ErrPodCIDRs) != test.refused || (err != nil) != test.refused || err != nil &&
					!strings.Contains(err.Error(), `"rome" would announce 10.0.0.0/17 and 10.0.128.0/17 to "milan"`) ||
					err != nil && !strings.Contains(err.Error(), advice) {
					t.Errorf("resource %q: it says %v", resource, err)
				}
			}
		})
	}
}
