//go:build lab

package limits

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// database lets pods of Rome ask those of Milan.
func database(protocol string) []liqo.Rule { return []liqo.Rule{{Protocol: protocol, Port: 5432}} }

func TestPacketsAtAGatewayThatHasRestartedGoOnWhenTheAskingSideSpeaks(t *testing.T) {
	for _, protocol := range []string{liqo.TCP, liqo.UDP} {
		for _, limited := range []bool{false, true} {
			for _, restarts := range []string{"rome", "milan", "both"} {
				for _, first := range []string{"asker", "asked"} {
					name := fmt.Sprintf("%s, limited: %t, restarts: %s, first: %s", protocol, limited, restarts, first)
					t.Run(name, func(t *testing.T) { restart(t, protocol, limited, restarts, first == "asked") })
				}
			}
		}
	}
}

func restart(t *testing.T, protocol string, limited bool, restarts string, askedFirst bool) {
	t.Helper()
	p := newPair(t)
	if limited {
		p.limit(nil, database(protocol))
	}
	c := p.ask(protocol, p.rome, p.milan, milansPodAtRome+":5432")
	if c == nil {
		t.Fatal("they can't talk")
	}
	if restarts != "milan" {
		p.atRome.restart()
	}
	if restarts != "rome" {
		p.atMilan.restart()
	}
	if askedFirst { // what answers nothing comes in only without rules, or where the question is still known
		if got := c.heard(c.asked, c.asker, "news"); (got == "news") != (!limited || restarts == "milan") {
			t.Errorf("the asker hears %q", got)
		}
	}
	if got := c.heard(c.asker, c.asked, "go on"); got != "go on" {
		t.Errorf("the asked side hears %q", got)
	}
	got := c.heard(c.asked, c.asker, "more")
	if got == "" && protocol == liqo.TCP {
		got = c.hears(c.asker, 5*time.Second) // TCP repeats what was lost
	}
	if got != "more" && got != "news" && got != "newsmore" {
		t.Errorf("the asker hears %q", got)
	}
}

func TestPacketsAtAGatewayThatHasRestartedReachASilentAskerThatKeepsItsConnectionAlive(t *testing.T) {
	for _, alive := range []bool{false, true} {
		p := newPair(t)
		p.limit(nil, database(liqo.TCP))
		c := p.ask(liqo.TCP, p.rome, p.milan, milansPodAtRome+":5432", func(dialer *net.Dialer) {
			dialer.KeepAliveConfig = net.KeepAliveConfig{Enable: alive, Idle: time.Second, Interval: time.Second}
		})
		p.atRome.restart()
		if got := c.heard(c.asked, c.asker, "news"); got != "" {
			t.Errorf("the asker hears %q at once", got)
		}
		if got := c.hears(c.asker, 3*time.Second); (got == "news") != alive {
			t.Errorf("keepalives: %t; the asker hears %q within seconds", alive, got)
		}
	}
}
