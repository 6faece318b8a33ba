package end

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
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
	for name, test := range map[string]struct {
		announcement Announcement
		cause        error
		summary      string
		parts        []string
	}{
		"foreign pods": {
			Announcement{PodCIDRs: []string{"10.0.0.0/24", "10.220.0.0/16"}}, ErrPodCIDRs, "there are no pods in 10.220.0.0/16",
			[]string{
				`"rome" have addresses in 10.0.0.0/16.`, `the packets that "milan" sends there would be lost.`,
				"Set `pod_cidrs` to 10.0.0.0/16",
			},
		},
		"more than its pods": {
			Announcement{PodCIDRs: []string{"10.0.0.0/15"}}, ErrPodCIDRs, "there are no pods in 10.0.0.0/15", nil,
		},
		"foreign others": {
			Announcement{ExternalCIDR: "10.221.0.0/16"}, ErrExternalCIDR, "10.221.0.0/16 does not begin the external CIDR",
			[]string{`The external CIDR of "rome" is 10.70.0.0/16.`, "a part that begins with 10.70.0.0."},
		},
		"not the beginning of others": {
			Announcement{ExternalCIDR: "10.70.1.0/24"}, ErrExternalCIDR,
			"10.70.1.0/24 does not begin the external CIDR", nil,
		},
		"more than others": {
			Announcement{ExternalCIDR: "10.70.0.0/15"}, ErrExternalCIDR,
			"10.70.0.0/15 does not begin the external CIDR", nil,
		},
		"pods of IPv6": {
			Announcement{PodCIDRs: []string{"fd00::/64"}}, nil, "Liqo can't join the IPv6 range fd00::/64", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := romesEnd(t, ranges()...).Announce(t.Context(), test.announcement, liqo.RemoteRanges{})
			if explain.Summary(err) != test.summary+` on leaf "rome"` || (test.cause != nil && !errors.Is(err, test.cause)) {
				t.Error(err)
			}
			for _, part := range test.parts {
				if !strings.Contains(explain.Detail(err), part) {
					t.Errorf("the text lacks %q:\n%s", part, explain.Detail(err))
				}
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
			err := milan.CheckAnnounced(
				t.Context(), liqo.Ranges{PodCIDRs: test.announced}, liqo.RemoteRanges{PodCIDRs: test.told})
			if errors.Is(err, ErrPodCIDRs) != test.refused || (err != nil) != test.refused {
				t.Error(err)
			}
			const why = `"rome" would announce 10.0.0.0/17 and 10.0.128.0/17 to "milan"`
			if err != nil && (!strings.Contains(err.Error(), why) ||
				!strings.Contains(err.Error(), "Set `pod_cidrs` of \"rome\" to one of")) {
				t.Errorf("it says %v", err)
			}
			milan.Owner.Resource = owner.ConfigurationResource
			err = milan.CheckAnnounced(
				t.Context(), liqo.Ranges{PodCIDRs: test.announced}, liqo.RemoteRanges{PodCIDRs: test.told})
			if test.refused && (err == nil || !strings.Contains(err.Error(), "Set `pod_cidrs` of this resource to one of")) {
				t.Errorf("of a liqo_configuration: it says %v", err)
			}
		})
	}
}
