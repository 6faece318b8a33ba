package liqo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
)

// A gateway enforces the limits of its end by a table of nftables in its own network. Liqo up to 1.2 matches no state
// of connections. But the kernel asks chains of type NAT about the first packet of a connection only, and the others
// follow it. So a new connection that may cross gets a translation of its destination to itself, which keeps Liqo's and
// all later chains from translating it. Every other one is translated to nowhere. There are four chains, in this order,
// so that Liqo, which removes and adds single rules of a chain, never leaves it open:
//
//  1. what may cross; the order of its rules does not matter
//  2. no other TCP and UDP
//  3. pings that may cross; Liqo can't match ICMP, but this is what is left that begins like an echo request
//  4. nothing else
//
// A fifth chain drops what leads nowhere, before it is routed. The kernel keeps no record of a connection whose first
// packet is dropped. So a refused packet leaves nothing behind that a later one could collide with: a connection whose
// gateway has restarted goes on with the first packet of the side that may open it, whoever spoke before.
//
// The kernel asks no chain of type NAT about packets of a connection that exists already, nor about those that can't
// belong to one. So a sixth chain drops the packets of which neither a rule for this leaf nor, by its source, one for
// the other leaf knows anything. It ends what was allowed before a rule was removed, unless a rule for the other leaf
// knows the same packets as answers. It does the same with what leaves by the tunnel: while the other gateway restarts
// and has no rules yet, this one has them.

// TableVersion is that of [Limits.Table]. Another table for the same limits needs another version.
const TableVersion = 1

// Values of Liqo 1.1 and 1.2. Liqo defines them in packages that import nftables and netlink.
const (
	tunnelDevice  = "liqo-tunnel"
	tunnelNetwork = "169.254.18.0/30" // of the two ends of the tunnel, which check their connection
)

// nowhere is the destination of what may not cross. No packet has it otherwise. An address of the loopback would not
// do: where a node routes them, as kube-proxy lets it, its pods do, too, and the gateway itself would get the packet.
const nowhere = "0.0.0.0"

// ICMP has no ports. In their place are the type and the code of a message.
const (
	echoRequest = "2048" // type 8, code 0
	echoReply   = "0"    // type 0, code 0
)

// icmpErrors are messages that connections need: unreachable and too big, time exceeded, and malformed. Each range has
// the codes of one type.
var icmpErrors = []string{"768-783", "2816-2817", "3072-3074"} // types 3, 11 and 12

// natPriority is that of the first chain. The last one that is asked about new connections still comes before Liqo's
// own translations, at -100. What drops them comes after these.
const (
	natPriority  firewall.ChainPriority = -104
	dropPriority firewall.ChainPriority = -99
)

// MaxTableRules limits the rules of a table. Liqo (1.2.0) writes all of them with one message when a gateway starts. A
// kernel with its default of 212,992 bytes for the send buffer took 285 new rules at once, and refused 404. A gateway
// whose table is refused would let everything cross.
const MaxTableRules = 250

// TableRules returns how many rules the table has.
func (l Limits) TableRules() int {
	rules := 0
	for _, chain := range l.Table("").Chains {
		rules += len(chain.Rules.NatRules) + len(chain.Rules.FilterRules)
	}
	return rules
}

// Table returns the table with this name that enforces the limits in the gateway of the end.
func (l Limits) Table(name string) firewall.Table {
	family := firewall.TableFamilyIPv4
	chains := []firewall.Chain{natChain(0, "allow", l.allowed()), natChain(1, "deny-ports", deniedPorts()),
		natChain(2, "allow-pings", l.allowedPings()), natChain(3, "deny", deniedRest()),
		filterChain("refused", firewall.ChainHookPrerouting, dropPriority, refused()), l.envelope()}
	return firewall.Table{Name: &name, Family: &family, Chains: chains}
}

// natChain returns a chain whose rules the kernel asks about new connections.
func natChain(place firewall.ChainPriority, name string, rules []firewall.NatRule) firewall.Chain {
	hook, policy := firewall.ChainHookPrerouting, firewall.ChainPolicyAccept
	priority := natPriority + place
	return firewall.Chain{
		Name: &name, Type: firewall.ChainTypeNAT, Hook: &hook, Policy: &policy, Priority: &priority,
		Rules: firewall.RulesSet{NatRules: rules},
	}
}

// filterChain returns a chain whose rules the kernel asks about all packets. The order of its rules matters, and Liqo
// adds new rules after those that stay. So all names change with any of the rules, and Liqo writes all of them again.
func filterChain(
	name string, hook firewall.ChainHook, priority firewall.ChainPriority, rules []firewall.FilterRule,
) firewall.Chain {
	all, policy := Digest(rules), firewall.ChainPolicyAccept
	for i := range rules {
		rules[i].Name = new(fmt.Sprintf("%s-%d", all, i))
	}
	return firewall.Chain{
		Name: &name, Type: firewall.ChainTypeFilter, Hook: &hook, Policy: &policy, Priority: &priority,
		Rules: firewall.RulesSet{FilterRules: rules},
	}
}

func (l Limits) allowed() []firewall.NatRule {
	tunnel := []firewall.Match{matchIP(tunnelNetwork, firewall.MatchPositionSrc),
		matchIP(tunnelNetwork, firewall.MatchPositionDst)}
	rules := []firewall.NatRule{translation(tunnelNetwork, tunnel...)}
	for _, one := range eachRange(l.In, l.Own) {
		if one.Protocol != ICMP {
			rules = append(rules, translation(one.cidr, one.matches(firewall.MatchPositionDst)...))
		}
	}
	return distinct(rules)
}

func (l Limits) allowedPings() []firewall.NatRule {
	var rules []firewall.NatRule
	for _, one := range eachRange(l.In, l.Own) {
		if one.Protocol == ICMP {
			rules = append(rules, translation(one.cidr, one.pings(firewall.MatchPositionDst, echoRequest)...))
		}
	}
	return distinct(rules)
}

func deniedPorts() []firewall.NatRule {
	return []firewall.NatRule{translation(nowhere, matchProtocol(TCP)), translation(nowhere, matchProtocol(UDP))}
}

func deniedRest() []firewall.NatRule { return []firewall.NatRule{translation(nowhere)} }

// translation returns a rule that changes the destination of what comes from the tunnel. Its name says what it does, so
// that Liqo keeps it while others change.
func translation(to string, matches ...firewall.Match) firewall.NatRule {
	fromTunnel := tunnelled(firewall.MatchDevPositionIn, matches)
	rule := firewall.NatRule{Match: fromTunnel, NatType: firewall.NatTypeDestination, To: &to}
	rule.Name = new(Digest(rule))
	return rule
}

// distinct returns the rules without those that repeat another one. Liqo refuses a name that is there twice.
func distinct(rules []firewall.NatRule) []firewall.NatRule {
	seen := map[string]bool{}
	return slices.DeleteFunc(rules, func(rule firewall.NatRule) bool {
		repeated := seen[*rule.Name]
		seen[*rule.Name] = true
		return repeated
	})
}

// refused returns the rules that drop what leads nowhere.
func refused() []firewall.FilterRule {
	return []firewall.FilterRule{
		filter(firewall.ActionDrop, firewall.MatchDevPositionIn, matchIP(nowhere, firewall.MatchPositionDst)),
	}
}

// envelope returns the chain that knows nothing of connections. Without any rule, nothing has to pass it, not even an
// error.
func (l Limits) envelope() firewall.Chain {
	in, out := eachRange(l.In, l.Own), eachRange(l.Out, l.Other)
	rules := []firewall.FilterRule{
		filter(firewall.ActionDrop, firewall.MatchDevPositionIn), filter(firewall.ActionDrop, firewall.MatchDevPositionOut),
	}
	if len(in)+len(out) > 0 {
		rules = slices.Concat([]firewall.FilterRule{l.strays()},
			known(firewall.MatchDevPositionIn, in, out), known(firewall.MatchDevPositionOut, out, in))
	}
	return filterChain("known", firewall.ChainHookForward, firewall.ChainPriorityFilter, rules)
}

// strays returns the rule that drops what comes from the tunnel and is neither for the pods of this leaf nor for its
// nodes. It would leave the gateway towards wherever its node leads it.
func (l Limits) strays() firewall.FilterRule {
	var elsewhere []firewall.Match
	for _, own := range append(slices.Clone(l.Own), l.Nodes) {
		match := matchIP(own, firewall.MatchPositionDst)
		match.Op = firewall.MatchOperationNeq
		elsewhere = append(elsewhere, match)
	}
	return filter(firewall.ActionDrop, firewall.MatchDevPositionIn, elsewhere...)
}

// known returns rules that drop all packets through the tunnel in one direction but those to what may be reached in
// this direction, those that come from what may be reached in the other one, and errors.
func known(through firewall.MatchDevPosition, to, from []rangeRule) []firewall.FilterRule {
	var rules []firewall.FilterRule
	add := func(action firewall.FilterAction, matches ...firewall.Match) {
		rules = append(rules, filter(action, through, matches...))
	}
	ends := []struct {
		rules []rangeRule
		at    firewall.MatchPosition
		ping  string
	}{{to, firewall.MatchPositionDst, echoRequest}, {from, firewall.MatchPositionSrc, echoReply}}
	for _, end := range ends {
		for _, one := range end.rules {
			if one.Protocol != ICMP {
				add(firewall.ActionAccept, one.matches(end.at)...)
			}
		}
	}
	add(firewall.ActionDrop, matchProtocol(TCP))
	add(firewall.ActionDrop, matchProtocol(UDP))
	for _, end := range ends {
		for _, one := range end.rules {
			if one.Protocol == ICMP {
				add(firewall.ActionAccept, one.pings(end.at, end.ping)...)
			}
		}
	}
	for _, codes := range icmpErrors {
		add(firewall.ActionAccept, matchPort(codes, firewall.MatchPositionSrc))
	}
	add(firewall.ActionDrop)
	return rules
}

// filter returns a rule about packets that come out of the tunnel, or go into it.
func filter(
	action firewall.FilterAction, through firewall.MatchDevPosition, matches ...firewall.Match,
) firewall.FilterRule {
	return firewall.FilterRule{Match: tunnelled(through, matches), Action: action}
}

// rangeRule is a rule for one range.
type rangeRule struct {
	Rule

	cidr string
}

// eachRange returns the rules, each for one range. A rule without ranges is for all of the leaf.
func eachRange(rules []Rule, whole []string) []rangeRule {
	var each []rangeRule
	for _, rule := range rules {
		cidrs := rule.CIDRs
		if len(cidrs) == 0 {
			cidrs = whole
		}
		for _, cidr := range cidrs {
			each = append(each, rangeRule{rule, cidr})
		}
	}
	return each
}

// matches returns what a packet to the pods matches, or one from them, with the position of a source.
func (r rangeRule) matches(at firewall.MatchPosition) []firewall.Match {
	matches := []firewall.Match{matchIP(r.cidr, at)}
	if r.Protocol != "" {
		matches = append(matches, matchProtocol(r.Protocol))
	}
	switch {
	case r.Port == 0:
	case r.EndPort > r.Port:
		matches = append(matches, matchPort(fmt.Sprintf("%d-%d", r.Port, r.EndPort), at))
	default:
		matches = append(matches, matchPort(strconv.Itoa(int(r.Port)), at))
	}
	return matches
}

// pings returns what such a message to or from the pods matches, once TCP and UDP are ruled out.
func (r rangeRule) pings(at firewall.MatchPosition, message string) []firewall.Match {
	return []firewall.Match{matchIP(r.cidr, at), matchPort(message, firewall.MatchPositionSrc)}
}

// tunnelled returns the matches for packets that come out of the tunnel, or go into it.
func tunnelled(through firewall.MatchDevPosition, matches []firewall.Match) []firewall.Match {
	return append([]firewall.Match{{
		Op: firewall.MatchOperationEq, Dev: &firewall.MatchDev{Value: tunnelDevice, Position: through},
	}}, matches...)
}

func matchIP(cidr string, at firewall.MatchPosition) firewall.Match {
	return firewall.Match{Op: firewall.MatchOperationEq, IP: &firewall.MatchIP{Value: cidr, Position: at}}
}

// matchProtocol matches a protocol, which has its name in lower case in a FirewallConfiguration.
func matchProtocol(protocol string) firewall.Match {
	name := firewall.L4Proto(strings.ToLower(protocol))
	return firewall.Match{Op: firewall.MatchOperationEq, Proto: &firewall.MatchProto{Value: name}}
}

func matchPort(port string, at firewall.MatchPosition) firewall.Match {
	return firewall.Match{Op: firewall.MatchOperationEq, Port: &firewall.MatchPort{Value: port, Position: at}}
}

// Digest returns a short name for a value that is another one for another value.
func Digest(value any) string {
	text, _ := json.Marshal(value) //nolint:errchkjson // data, whose keys are sorted
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
