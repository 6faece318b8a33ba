//go:build lab

package limits

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestPacketsAtAGatewayOfARemovedRuleEndUnlessTheyLookLikeAnswers(t *testing.T) {
	web := liqo.Rule{Protocol: liqo.TCP, Port: 443}
	// nil stands for no limits before.
	for _, removed := range []*liqo.Rule{nil, {}, &web, {Protocol: liqo.UDP, Port: 443}} {
		for _, protocol := range []string{liqo.TCP, liqo.UDP} {
			if removed != nil && removed.Protocol != "" && removed.Protocol != protocol {
				continue
			}
			for _, stays := range []liqo.Rule{
				{}, {Protocol: liqo.TCP}, {Protocol: liqo.UDP}, {Protocol: liqo.ICMP}, {Protocol: protocol, Port: 5432},
				{Protocol: protocol, Port: 1, EndPort: 32767}, {Protocol: protocol, Port: 30000, EndPort: 61000},
			} {
				t.Run(fmt.Sprintf("%s, removed: %v, stays: %s", protocol, removed, stays), func(t *testing.T) {
					p := newPair(t)
					was := liqo.Rule{Protocol: protocol}
					if removed != nil {
						p.limit([]liqo.Rule{*removed}, []liqo.Rule{stays})
						was = *removed
					}
					if was.Protocol == "" {
						was.Protocol = protocol // the connection is one of many that the rule allowed
					}
					c := p.ask(protocol, p.milan, p.rome, romesPod+":443")
					if c == nil {
						t.Fatal("they can't talk")
					}
					p.limit(nil, []liqo.Rule{stays})
					goesOn := stays.AnswersLike(was)
					for _, restarts := range []bool{false, true} {
						if restarts {
							p.atRome.restart()
							p.atMilan.restart()
						}
						if got := c.heard(c.asked, c.asker, "news"); (got == "news") != goesOn {
							t.Errorf("restarted: %t; the asker hears %q", restarts, got)
						}
						if got := c.heard(c.asker, c.asked, "go on"); (got == "go on") != goesOn {
							t.Errorf("restarted: %t; the asked side hears %q", restarts, got)
						}
					}
					if p.ask(protocol, p.milan, p.rome, romesPod+":444") != nil {
						t.Error("a new connection opens")
					}
				})
			}
		}
	}
}

func TestPacketsAtAGatewayOfARuleThatStaysGoOn(t *testing.T) {
	p := newPair(t)
	p.limit(database(liqo.TCP), database(liqo.TCP))
	there := p.ask(liqo.TCP, p.rome, p.milan, milansPodAtRome+":5432")
	back := p.ask(liqo.TCP, p.milan, p.rome, romesPod+":5432")
	for _, more := range []liqo.Rule{{Protocol: liqo.UDP}, {Protocol: liqo.ICMP}, {Protocol: liqo.TCP, Port: 443}} {
		p.limit(append(database(liqo.TCP), more), database(liqo.TCP))
		for _, c := range []*conversation{there, back} {
			if got := c.heard(c.asker, c.asked, "go on"); got != "go on" {
				t.Errorf("with one rule more, the asked side hears %q", got)
			}
			if got := c.heard(c.asked, c.asker, "news"); got != "news" {
				t.Errorf("with one rule more, the asker hears %q", got)
			}
		}
	}
}
