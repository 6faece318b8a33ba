package provider

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// onlyRule returns an `allow` with one rule, which leads to the server unless it says otherwise.
func onlyRule(rule values) tftypes.Value {
	kind := shortcutType().AttributeTypes["allow"].(tftypes.Set) //nolint:errcheck,forcetypeassert // it is a set
	all := values{"to": text(toServer)}
	maps.Copy(all, rule)
	element := all.of(kind.ElementType.(tftypes.Object)) //nolint:errcheck,forcetypeassert // of objects
	return tftypes.NewValue(kind, []tftypes.Value{element})
}

// cidrs returns a set of ranges.
func cidrs(ranges ...tftypes.Value) tftypes.Value {
	return tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, ranges)
}

func TestARuleThatCantBeIsRefusedAtItsAttribute(t *testing.T) {
	tcp, noPorts := text("TCP"), "Only TCP and UDP have ports"
	for name, test := range map[string]struct {
		rule     values
		at, says string
	}{
		"to neither":             {values{"to": text("europe")}, "to", "must be one of"},
		"another protocol":       {values{"protocol": text("sctp")}, "protocol", "must be one of"},
		"a port without any":     {values{"port": number(80)}, "port", noPorts},
		"a port of pings":        {values{"protocol": text("ICMP"), "port": number(80)}, "port", noPorts},
		"no port":                {values{"protocol": tcp, "port": number(0)}, "port", "must be between 1 and 65535"},
		"an end without a begin": {values{"protocol": tcp, "end_port": number(80)}, "end_port", "Set `port`, too."},
		"a range the wrong way": {
			values{"protocol": tcp, "port": number(90), "end_port": number(80)}, "end_port", "from 90 to 80 is empty",
		},
		"IPv6":      {values{"cidrs": cidrs(text("fd00::/64"))}, "cidrs", "must be an IPv4 range"},
		"no range":  {values{"cidrs": cidrs(text("milan"))}, "cidrs", "must be an address range in CIDR notation"},
		"host bits": {values{"cidrs": cidrs(text("10.1.0.5/16"))}, "cidrs", "must not have host bits"},
		"none":      {values{"cidrs": cidrs()}, "cidrs", "must contain at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			clustertest.Has(t, validated(t, romeMilan(values{"allow": onlyRule(test.rule)})), "allow[]."+test.at, test.says)
		})
	}
}

func TestARuleIsAccepted(t *testing.T) {
	for name, rule := range map[string]values{
		"everything": {}, "pings": {"protocol": text("ICMP")}, "a protocol": {"protocol": text("UDP")},
		"ports": {"protocol": text("TCP"), "port": number(80), "end_port": number(80), "cidrs": cidrs(text("10.1.0.0/16"))},
	} {
		t.Run(name, func(t *testing.T) {
			accepted(t, validated(t, romeMilan(values{"allow": onlyRule(rule)})))
		})
	}
}
