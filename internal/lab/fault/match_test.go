package fault

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/nftables/expr"
)

func TestAMatchThatNoPacketCanFulfilIsRefused(t *testing.T) {
	for want, match := range map[string]Match{
		"unknown hook":               {Hook: "sideways"},
		"unknown protocol":           {Hook: "forward", Protocol: "sctp"},
		"not an IPv4 network":        {Hook: "forward", To: netip.MustParsePrefix("fd00::/8")},
		"come from no device":        {Hook: "postrouting", In: "eth0"},
		"go to no device":            {Hook: "input", Out: "eth0"},
		"at the hook prerouting onl": {Hook: "forward", Fragments: true},
		"only the device can be set": {Hook: "ingress", In: "liqo.*", Protocol: "icmp"},
		"packets from one device":    {Hook: "ingress"},
	} {
		if err := match.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v", match, err)
		}
	}
	for _, match := range []Match{
		{Hook: "forward", In: "pod1", Out: "liqo.*", Protocol: "udp", Larger: 1000},
		{Hook: "input", From: netip.MustParsePrefix("10.200.0.0/16")},
		{Hook: "prerouting", Fragments: true},
		{Hook: "ingress", In: "liqo.*"},
	} {
		if err := match.Check(); err != nil {
			t.Errorf("%+v: got %v", match, err)
		}
	}
}

func TestADeviceIsComparedUpToItsStar(t *testing.T) {
	for pattern, want := range map[string]string{
		"liqo.*": "liqo.", "eth0": "eth0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	} {
		got := device(expr.MetaKeyIIFNAME, pattern)
		if compare, ok := got[1].(*expr.Cmp); !ok || string(compare.Data) != want {
			t.Errorf("%s: got %+v", pattern, got[1])
		}
	}
	if got := device(expr.MetaKeyIIFNAME, "*"); len(got) > 0 {
		t.Errorf("every device: got %+v", got)
	}
}

func TestANetworkIsComparedAsFarAsItsMask(t *testing.T) {
	rule := address(16, netip.MustParsePrefix("10.71.200.1/18"))
	mask, _ := rule[1].(*expr.Bitwise)
	compare, _ := rule[2].(*expr.Cmp)
	if mask == nil || compare == nil || !slices.Equal(mask.Mask, []byte{255, 255, 192, 0}) ||
		!slices.Equal(compare.Data, []byte{10, 71, 192, 0}) {
		t.Errorf("got %+v, %+v", mask, compare)
	}
}
