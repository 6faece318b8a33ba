package liqo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The protocols of a [Rule]. An empty one stands for all protocols.
const (
	TCP  = "TCP"
	UDP  = "UDP"
	ICMP = "ICMP" // echo requests; errors always cross
)

// Rule lets new connections to pods of one leaf cross, and the answers to them.
type Rule struct {
	Protocol string   `json:"protocol,omitempty" tfsdk:"protocol"`
	Port     int32    `json:"port,omitempty"     tfsdk:"port"`     // 0 for every port
	EndPort  int32    `json:"endPort,omitempty"  tfsdk:"end_port"` // the last one of a range; 0 if it is only Port
	CIDRs    []string `json:"cidrs,omitempty"    tfsdk:"cidrs"`    // as their leaf sees them; empty for all announced ones
}

// String names what the rule lets cross.
func (r Rule) String() string {
	text := cmp.Or(r.Protocol, "every protocol")
	switch {
	case r.EndPort > r.Port:
		text += fmt.Sprintf(" to ports %d-%d", r.Port, r.EndPort)
	case r.Port > 0:
		text += fmt.Sprintf(" to port %d", r.Port)
	}
	if len(r.CIDRs) > 0 {
		text += " in " + strings.Join(r.CIDRs, ", ")
	}
	return text
}

// Limits are what may cross a network, as one end enforces it. All ranges are as their own leaf sees them: Liqo
// translates the addresses of a packet before it enters the tunnel, and after it has left this leaf's rules behind.
type Limits struct {
	In    []Rule   `json:"in"`    // new connections to pods of this leaf
	Out   []Rule   `json:"out"`   // new connections to pods of the other leaf
	Own   []string `json:"own"`   // announced pod CIDRs of this leaf
	Other []string `json:"other"` // announced pod CIDRs of the other leaf
	Nodes string   `json:"nodes"` // as which the other leaf sees the nodes of this one
}

// Includes reports whether a rule for the same leaf lets everything cross that the other one does.
func (r Rule) Includes(other Rule) bool {
	within := func(cidr string) bool {
		return slices.ContainsFunc(r.CIDRs, func(whole string) bool { return IsPart(cidr, whole) })
	}
	return (r.Protocol == "" || r.Protocol == other.Protocol) &&
		(r.Port == 0 || other.Port >= r.Port && max(other.Port, other.EndPort) <= max(r.Port, r.EndPort)) &&
		(len(r.CIDRs) == 0 || len(other.CIDRs) > 0 && all(other.CIDRs, within))
}

// The ports from which a kernel opens connections by default.
const (
	firstOwnPort = 32768
	lastOwnPort  = 60999
)

// AnswersLike reports whether answers to connections that the rule lets cross look like packets of connections in the
// opposite direction, which another rule lets cross. A gateway can't tell them apart by what Liqo (1.2.0) matches. So
// connections of the other rule that are open when it is removed go on.
func (r Rule) AnswersLike(other Rule) bool {
	if r.Protocol == ICMP || r.Protocol != "" && other.Protocol != "" && r.Protocol != other.Protocol {
		return false // a ping and its answer differ
	}
	return r.Port == 0 || r.Port <= lastOwnPort && max(r.Port, r.EndPort) >= firstOwnPort
}
