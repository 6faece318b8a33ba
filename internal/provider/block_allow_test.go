package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// allowing returns a configuration with one rule, which leads to the server unless it says otherwise.
func allowing(t *testing.T, rule values) map[string]tftypes.Value {
	t.Helper()
	kind := shortcutType().AttributeTypes["allow"].(tftypes.Set) //nolint:errcheck,forcetypeassert // it is a set
	all := values{"to": text(toServer)}
	maps.Copy(all, rule)
	element := all.object(kind.ElementType.(tftypes.Object), "") //nolint:errcheck,forcetypeassert // of objects
	return map[string]tftypes.Value{
		"client": text("rome"), "server": text("milan"), "allow": tftypes.NewValue(kind, []tftypes.Value{element}),
	}
}

func cidrs(texts ...string) tftypes.Value {
	elements := make([]tftypes.Value, len(texts))
	for i, each := range texts {
		elements[i] = text(each)
	}
	return tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, elements)
}

func TestARuleThatCantBeIsRefusedAtItsAttribute(t *testing.T) {
	for name, test := range map[string]struct {
		rule     values
		at, says string
	}{
		"to neither":         {values{"to": text("europe")}, "to", "must be one of"},
		"another protocol":   {values{"protocol": text("sctp")}, "protocol", "must be one of"},
		"a port without any": {values{"port": number(80)}, "port", "Only TCP and UDP have ports"},
		"a port of pings": {
			values{"protocol": text("ICMP"), "port": number(80)}, "port", "Only TCP and UDP have ports",
		},
		"no port":                {values{"protocol": text("TCP"), "port": number(0)}, "port", "must be between 1 and 65535"},
		"an end without a begin": {values{"protocol": text("TCP"), "end_port": number(80)}, "end_port", "Set `port`, too."},
		"a range the wrong way": {
			values{"protocol": text("TCP"), "port": number(90), "end_port": number(80)}, "end_port", "from 90 to 80 is empty",
		},
		"IPv6":      {values{"cidrs": cidrs("fd00::/64")}, "cidrs", "must be an IPv4 range"},
		"no range":  {values{"cidrs": cidrs("milan")}, "cidrs", "must be an address range in CIDR notation"},
		"host bits": {values{"cidrs": cidrs("10.1.0.5/16")}, "cidrs", "must not have host bits"},
		"none":      {values{"cidrs": cidrs()}, "cidrs", "must contain at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := validate(t, allowing(t, test.rule))
			if !strings.Contains(got, `AttributeName("allow")`) || !strings.Contains(got, `AttributeName("`+test.at+`")`) ||
				!strings.Contains(got, test.says) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestARuleIsAccepted(t *testing.T) {
	for name, rule := range map[string]values{
		"everything": {}, "pings": {"protocol": text("ICMP")}, "a protocol": {"protocol": text("UDP")},
		"ports": {"protocol": text("TCP"), "port": number(80), "end_port": number(80), "cidrs": cidrs("10.1.0.0/16")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := validate(t, allowing(t, rule)); got != "" {
				t.Error(got)
			}
		})
	}
}
